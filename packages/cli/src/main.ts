#!/usr/bin/env node
/** The npm package `recto`: the command line without the service. */
import { CommandError } from './command.ts'
import { endAtClosedPipe, processTerminal, reportInternalError } from './process.ts'
import { runLine } from './recto.ts'

const ofService = (command: string) => async (): Promise<number> => {
  throw new CommandError(
    `\`recto ${command}\` is part of the service, which this package does not contain: ` +
      `npm install --global @recto/server (Node 24), or use its container image`,
  )
}

endAtClosedPipe()
try {
  process.exitCode = await runLine(process.argv.slice(2), processTerminal(), {
    serve: ofService('serve'),
    backup: ofService('backup'),
    'backup restore': ofService('backup restore'),
    'check-database': ofService('check-database'),
    'migrate-database': ofService('migrate-database'),
  })
} catch (error) {
  reportInternalError(error)
}
