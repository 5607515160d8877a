import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { isMainThread } from 'node:worker_threads'
import type { Binaries } from './binaries.ts'
import { type ClusterState, type Folder, folderOwner } from './folder.ts'
import { StartError } from './start-error.ts'

/** The account of PostgreSQL: ours, ours in a user namespace (`prefix`), or another one of the machine. */
export interface Account {
  readonly prefix: readonly string[]
  readonly uid?: number
  readonly gid?: number
}

/** How to run the programs of PostgreSQL on this machine. */
export interface Runner {
  readonly binaries: Binaries
  readonly account: Account
  /** The kernel signals the program when we die (Linux); otherwise a shell waits on a pipe for our end. */
  readonly parentDeathSignal: boolean
  /** The major version of the programs. */
  readonly major: number
}

/** Fixed, so that the server does not inherit PG* or LD_* variables. */
export const ENVIRONMENT: Readonly<NodeJS.ProcessEnv> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

/** A cluster must be writable for the account; the parent folder of a new one must only be traversable. */
const PROBES: Readonly<Record<ClusterState, string>> = {
  ready: 'cd "$1" && test -w . && exec "$2" --version',
  missing: 'cd "$1" && exec "$2" --version',
}

/** Finds a way to run PostgreSQL on the data folder by trying, or throws a StartError that lists the remedies. */
export async function chooseRunner(binaries: Binaries, folder: Folder, state: ClusterState): Promise<Runner> {
  const failures: string[] = []
  for (const account of accounts(folder, state)) {
    if (account.uid !== undefined) openForOthers(folder)
    for (const parentDeathSignal of parentDeathSignals()) {
      const answer = await probe(probeCommand(binaries, folder, state, parentDeathSignal, account), account)
      if (answer.version !== undefined) return { binaries, account, parentDeathSignal, major: answer.version }
      failures.push(answer.error)
    }
  }
  throw new StartError(runnerError(binaries, folder, state, failures))
}

/** `setpriv --pdeathsig` follows the thread that forked, so that it works for the main thread only. */
function parentDeathSignals(): boolean[] {
  return process.platform === 'linux' && isMainThread ? [true, false] : [false]
}

function accounts(folder: Folder, state: ClusterState): Account[] {
  const self = process.getuid?.()
  const owner = folderOwner(folder, state)
  if (self !== 0) {
    const plain: Account = { prefix: [] }
    if (owner.uid === self || state === 'missing') return hasName() ? [plain] : [...namespaces(), plain]
    throw new StartError(
      `The database in ${folder.cluster} belongs to user ${owner.uid}, and Recto runs as user ${self}. ` +
        'PostgreSQL runs only as the owner: change the owner, or start Recto as that user.',
    )
  }
  const outsider: Account = { prefix: [], ...owner }
  if (owner.uid !== 0) return state === 'ready' ? [outsider] : [outsider, ...namespaces()]
  return state === 'ready' ? namespaces() : [...namespaces(), { prefix: [], ...nobody() }]
}

/** A container may run with a user id that no account has. */
function hasName(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}

/**
 * PostgreSQL does not run as user 0. In a user namespace it has another id, and outside it still owns what root owns:
 * no account is created and no owner changes. initdb looks the id up, so that it must have a name.
 */
function namespaces(): Account[] {
  if (process.platform !== 'linux') return []
  const uid = namedUsers().find((user) => user.uid > 0)?.uid ?? 1000
  return [{ prefix: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${uid}`] }]
}

function nobody(): { readonly uid: number; readonly gid: number } {
  const nobodyUser = namedUsers().find((user) => user.name === 'nobody' && user.uid > 0)
  return nobodyUser ?? { uid: 65534, gid: 65534 }
}

function namedUsers(): { readonly name: string; readonly uid: number; readonly gid: number }[] {
  if (!existsSync('/etc/passwd')) return []
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name, , uid, gid]) => ({ name: String(name), uid: Number(uid), gid: Number(gid) }))
}

/** A data folder that this start created may become traversable for another account; an existing one stays as it is. */
function openForOthers(folder: Folder): void {
  if (folder.created) chmodSync(folder.root, 0o711)
}

type Answer =
  | { readonly version: number; readonly error?: never }
  | { readonly version?: never; readonly error: string }

function probeCommand(
  binaries: Binaries,
  folder: Folder,
  state: ClusterState,
  parentDeathSignal: boolean,
  account: Account,
): readonly string[] {
  const watch = parentDeathSignal ? ['setpriv', '--pdeathsig', 'KILL'] : []
  const place = state === 'ready' ? folder.cluster : folder.root
  return [...watch, ...account.prefix, 'sh', '-c', PROBES[state], 'sh', place, binaries.postgres]
}

async function probe(command: readonly string[], { uid, gid }: Account): Promise<Answer> {
  const [file = 'sh', ...args] = command
  try {
    const { stdout } = await promisify(execFile)(file, args, {
      cwd: '/',
      env: ENVIRONMENT,
      ...(uid !== undefined && gid !== undefined ? { uid, gid } : {}),
    })
    const version = /\) (\d+)/.exec(stdout)?.[1]
    return version === undefined ? { error: `odd version: ${stdout.trim()}` } : { version: Number(version) }
  } catch (error) {
    const { stderr, message } = error as { readonly stderr?: string; readonly message: string }
    return { error: stderr?.trim() || message }
  }
}

function runnerError(binaries: Binaries, folder: Folder, state: ClusterState, failures: readonly string[]): string {
  const reasons = [...new Set(failures)].join('; ')
  if (process.getuid?.() !== 0) {
    return (
      `The programs of PostgreSQL in ${binaries.native} do not run on this machine: ${reasons}. ` +
      'They need glibc 2.27 or macOS. Name a PostgreSQL server of your own in SVC_DATABASE_URL.'
    )
  }
  const place = state === 'ready' ? folder.cluster : folder.root
  return (
    'PostgreSQL does not run as root. The alternatives on this machine, a user namespace or another account, ' +
    `cannot access both ${place} and ${binaries.native}: ${reasons}. Give Recto a data folder that another ` +
    'account can access with SVC_DATA, or start it as an ordinary user that owns the data folder.'
  )
}
