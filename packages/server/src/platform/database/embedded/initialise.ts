import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Folder, handOver, syncDirectory } from './folder.ts'
import { launch } from './launch.ts'
import { endAll, processesIn } from './processes.ts'
import type { Runner } from './runner.ts'
import { StartError } from './start-error.ts'

/** The owner of everything (superuser); the service itself uses an ordinary role. */
export const SUPERUSER = 'postgres'

const WORK_PREFIX = 'postgres.init-'
const SINCE_17 = [
  // The builtin provider: an upgrade of the machine's libc or of ICU cannot change the order of an index.
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  // One call for all of its thousand files, in a tenth of the time. Only Linux has it.
  ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
]
/** A data folder inside of another one, in which a cluster is filled before it gets its place. */
export const FILL_PREFIX = 'postgres.fill-'

/**
 * Creates the cluster next to its place and renames it when it is complete and on disk. An interrupted initdb leaves a
 * folder that looks like a cluster and is none, so that nothing incomplete ever has the cluster's name.
 */
export async function initialise(runner: Runner, folder: Folder, password: string): Promise<void> {
  const work = mkdtempSync(join(folder.root, WORK_PREFIX))
  try {
    handOver(work, runner.account)
    const cluster = join(work, 'cluster')
    mkdirSync(cluster, { mode: 0o700 })
    handOver(cluster, runner.account)
    const passwordFile = join(work, 'password')
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
    handOver(passwordFile, runner.account)
    await runInitdb(runner, cluster, passwordFile)
    renameSync(cluster, folder.cluster)
    syncDirectory(folder.root)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Removes the remains of interrupted initialisations and restores, and ends their processes first. */
export async function clearCutShort(folder: Folder): Promise<void> {
  const leftovers = readdirSync(folder.root).filter((name) => /^postgres\.(init|fill)-/.test(name))
  for (const work of leftovers.map((name) => join(folder.root, name))) {
    const find = () => ['cluster', 'postgres'].flatMap((name) => processesIn(join(work, name)))
    await endAll(find, [{ signal: 'SIGKILL', waitMs: 2_000 }])
    rmSync(work, { recursive: true, force: true })
  }
}

async function runInitdb(runner: Runner, cluster: string, passwordFile: string): Promise<void> {
  const { child, ended } = launch(runner, {
    program: 'initdb',
    args: [
      `--pgdata=${cluster}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth-local=scram-sha-256',
      '--auth-host=reject',
      '--encoding=UTF8',
      ...(runner.major >= 17 ? SINCE_17 : ['--locale=C.UTF-8']),
      '--data-checksums',
      '--no-instructions',
    ],
    cwd: cluster,
    deathSignal: 'KILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const outputs = [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream)))
  const { ok, words } = await ended
  if (ok) return
  const initdbOutput = (await Promise.all(outputs)).join('\n').trim().split('\n').slice(-5).join('\n')
  throw new StartError(`PostgreSQL could not make its cluster for ${basename(cluster)} (${words}):\n${initdbOutput}`)
}
