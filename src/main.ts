#!/usr/bin/env node
import { pino } from 'pino'
import { createApp } from './app.ts'
import { type Config, ConfigError, loadConfig } from './config.ts'
import { StartError } from './database/embedded/start-error.ts'

/** sysexits.h: what was asked for, the configuration, and the service itself. */
const EXIT = { usage: 64, unavailable: 69, software: 70, config: 78 } as const

const USAGE = `usage: recto <command>

  serve      run the service (configured by SVC_* variables, see docs/configuration.md)
  help       print this
`

async function main([command = 'help']: readonly string[]): Promise<number> {
  switch (command) {
    case 'serve':
      return serve()
    case 'help':
    case '--help':
    case '-h':
      process.stdout.write(USAGE)
      return 0
    default:
      process.stderr.write(`recto: there is no command \`${command}\`\n\n${USAGE}`)
      return EXIT.usage
  }
}

async function serve(): Promise<number> {
  const config = loadConfig(process.env)
  const log = pino({ level: config.logLevel })
  const app = await createApp(config, log)
  announce(app.address, app.adminKey, config)
  const signal = await stopSignal()
  log.info({ signal }, 'stopping')
  await app[Symbol.asyncDispose]()
  return 0
}

function announce(address: string, adminKey: string | undefined, config: Config): void {
  const lines = [`Recto serves on ${config.publicUrl ?? address}`]
  if (adminKey !== undefined) {
    lines.push(
      `First admin key: ${adminKey}`,
      `(also in ${config.data}/admin-api-key; it is not shown again)`,
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (error instanceof ConfigError || error instanceof StartError) {
    process.stderr.write(`recto: ${error.message}\n`)
    process.exitCode = error instanceof ConfigError ? EXIT.config : EXIT.unavailable
  } else {
    process.stderr.write(
      `recto: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    process.exitCode = EXIT.software
  }
}
