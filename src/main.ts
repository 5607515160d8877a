#!/usr/bin/env node
import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { EXIT as CLI_EXIT, runCommand, type Terminal, UsageError } from './cli/command.ts'
import { type Config, ConfigError, loadConfig } from './config.ts'
import { StartError } from './database/embedded/start-error.ts'

/** sysexits.h: what was asked for, the configuration, and the service itself. */
const EXIT = { usage: CLI_EXIT.usage, unavailable: 69, software: 70, config: 78 } as const

interface Command {
  readonly summary: string
  run(args: readonly string[], terminal: Terminal): Promise<number>
}

/** When a start is over, and nobody waits for it. */
const SETTLED_MS = 1_000

/** Each loads what it needs when it runs: no command waits for the parts of another. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    summary: 'run the service',
    run: (args, terminal) => runCommand(SERVE_USAGE, args, terminal, () => serve(args)),
  },
  import: {
    summary: 'load a folder of Markdown, an archive or a bundle into a running service',
    run: async (args, terminal) => (await import('./cli/import.ts')).importCommand(args, terminal),
  },
  export: {
    summary: 'write a space of a running service to a file',
    run: async (args, terminal) => (await import('./cli/transfer.ts')).exportCommand(args, terminal),
  },
  backup: {
    summary: 'write the embedded database to a file, while the service runs',
    run: async (args, terminal) => (await import('./cli/backup.ts')).backupCommand(args, terminal),
  },
  restore: {
    summary: 'make an embedded database from such a file, and check it',
    run: async (args, terminal) => (await import('./cli/backup.ts')).restoreCommand(args, terminal),
  },
  keys: {
    summary: 'make an API key for a first start',
    run: async (args, terminal) => (await import('./cli/keys.ts')).keysCommand(args, terminal),
  },
  mcp: {
    summary: 'speak the Model Context Protocol on standard input and output',
    run: async (args, terminal) => (await import('./cli/mcp.ts')).mcpCommand(args, terminal),
  },
}

const USAGE = `usage: recto <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}
  help       print this

\`recto <command> --help\` tells more of each.
`

const SERVE_USAGE = `usage: recto serve

Runs the service until it gets SIGINT or SIGTERM. It is configured by the variables SVC_*, which
docs/configuration.md lists.
`

async function main([name = 'help', ...args]: readonly string[]): Promise<number> {
  if (['help', '--help', '-h'].includes(name)) {
    process.stdout.write(USAGE)
    return 0
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command) return command.run(args, terminal())
  process.stderr.write(`recto: there is no command \`${name}\`\n\n${USAGE}`)
  return EXIT.usage
}

function terminal(): Terminal {
  const { env, stdout, stderr } = process
  return {
    env,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    columns: stderr.isTTY ? stderr.columns : undefined,
  }
}

async function serve(args: readonly string[]): Promise<number> {
  if (args.length > 0) throw new UsageError(`\`serve\` takes no arguments, but got: ${args.join(' ')}`)
  const config = loadConfig(process.env)
  const [{ pino }, { createApp }] = await Promise.all([import('pino'), import('./app.ts')])
  const log = pino({ level: config.logLevel })
  const app = await createApp(config, log)
  announce(app.address, app.adminKey, config)
  setTimeout(settle, SETTLED_MS).unref()
  const signal = await stopSignal()
  log.info({ signal }, 'stopping')
  await app[Symbol.asyncDispose]()
  return 0
}

/**
 * Keeps what was compiled for the next start, for a process may end without notice. To load the parts takes some times
 * the memory that they need afterwards, and V8 keeps it unless it is asked.
 */
function settle(): void {
  flushCompileCache()
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' })
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
