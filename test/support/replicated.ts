import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BIN = '/usr/lib/postgresql/15/bin'

/** Why the tests with streaming replication cannot run; undefined when they can. */
export const noReplication = existsSync(`${BIN}/pg_basebackup`)
  ? undefined
  : 'needs Debian’s package postgresql-15, for pg_basebackup'

/** One of two PostgreSQL servers, the second of which is a streaming standby of the first. */
export interface ReplicatedServer {
  readonly port: number
  readonly folder: string
  /** Ends it at once, as a crash does. */
  crash(): void
  promote(): void
  /** Sends a signal to every process of it, as SIGSTOP. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
}

export interface Replicated extends Disposable {
  readonly primary: ReplicatedServer
  readonly standby: ReplicatedServer
}

/** Starts both on free ports of 127.0.0.1, where the role `recto` owns the database `recto` without a password. */
export async function startReplicated(): Promise<Replicated> {
  const root = mkdtempSync(join(tmpdir(), 'recto-replicated-'))
  const asRoot = process.getuid?.() === 0
  if (asRoot) execFileSync('chown', ['postgres', root])
  const run = (...words: readonly string[]) => {
    const [file = '', ...rest] = asRoot ? ['runuser', '-u', 'postgres', '--', ...words] : words
    return execFileSync(file, rest, { cwd: root, stdio: 'ignore' })
  }
  const start = (folder: string, port: number) =>
    run(
      `${BIN}/pg_ctl`,
      '-D',
      folder,
      '-o',
      `-p ${port} -k ${root} -c listen_addresses=127.0.0.1 -c fsync=off -c hot_standby=on`,
      '-l',
      `${folder}.log`,
      '-w',
      'start',
    )
  const serverOf = (folder: string, port: number): ReplicatedServer => ({
    port,
    folder,
    crash: () => run(`${BIN}/pg_ctl`, '-D', folder, '-m', 'immediate', '-w', 'stop'),
    promote: () => run(`${BIN}/pg_ctl`, '-D', folder, '-w', 'promote'),
    signal(name) {
      const postmaster = execFileSync('head', ['-1', join(folder, 'postmaster.pid')])
        .toString()
        .trim()
      const children = execFileSync('ps', ['-o', 'pid=', '--ppid', postmaster]).toString().split('\n')
      for (const pid of [postmaster, ...children].map(Number)) if (pid > 0) process.kill(pid, name)
    },
  })

  const [first, second] = [join(root, 'first'), join(root, 'second')]
  const [firstPort, secondPort] = [await freePort(), await freePort()]
  run(`${BIN}/initdb`, '-D', first, '-A', 'trust', '-U', 'recto', '-E', 'UTF8', '--locale=C.UTF-8')
  start(first, firstPort)
  run(`${BIN}/createdb`, '-h', '127.0.0.1', '-p', String(firstPort), '-U', 'recto', 'recto')
  run(
    `${BIN}/pg_basebackup`,
    '-h',
    '127.0.0.1',
    '-p',
    String(firstPort),
    '-U',
    'recto',
    '-D',
    second,
    '-R',
    '-c',
    'fast',
  )
  start(second, secondPort)
  return {
    primary: serverOf(first, firstPort),
    standby: serverOf(second, secondPort),
    [Symbol.dispose]() {
      for (const folder of [first, second]) {
        try {
          run(`${BIN}/pg_ctl`, '-D', folder, '-m', 'immediate', '-w', 'stop')
        } catch {} // it was stopped by the test
      }
      rmSync(root, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
