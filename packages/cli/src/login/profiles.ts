/** The profiles of the command line: services and how to sign in there, in a file that only its owner can read. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeFolder } from '@recto/lib/make-folder.ts'
import { CommandError, type Terminal, UsageError } from '../command.ts'

/** Tokens of the authorization server of a service. */
export interface SignIn {
  readonly clientId: string
  readonly accessToken: string
  readonly refreshToken: string
  /** When the access token expires, in ISO 8601. */
  readonly expiresAt: string
}

export interface Profile {
  readonly url: string
  /** The name of the principal, to tell profiles apart. */
  readonly name: string
  /** An API key, or a sign-in. */
  readonly key?: string
  readonly signIn?: SignIn
}

export interface Profiles {
  /** The name of the profile that is used by default. */
  readonly current?: string
  readonly profiles: Readonly<Record<string, Profile>>
}

type Env = Pick<Terminal, 'env'>

const OWNER_ONLY = 0o600
const LOCK_POLL_MS = 50
/** A process that holds the lock longer has ended without releasing it. */
const LOCK_EXPIRES_MS = 60_000

/** The file of the profiles, by the XDG Base Directory Specification; undefined without a home. */
function fileIn({ env }: Env): string | undefined {
  const home = env.XDG_CONFIG_HOME || env.APPDATA || (env.HOME && join(env.HOME, '.config'))
  return home ? join(home, 'recto', 'profiles.json') : undefined
}

/** The same, where it is needed. */
export function profilesFile(terminal: Env): string {
  const path = fileIn(terminal)
  if (path === undefined) throw new CommandError('HOME is not set, so there is no place for profiles')
  return path
}

export function readProfiles(terminal: Env): Profiles {
  const path = fileIn(terminal)
  if (path === undefined) return { profiles: {} }
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} }
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

/**
 * The profile that a command uses, with its name: that of `--profile`, else the current one. Without `--profile`,
 * RECTO_API_KEY, or another RECTO_URL, takes precedence over profiles.
 */
export function findProfile(terminal: Env): (Profile & { readonly id: string }) | undefined {
  const { env } = terminal
  if (!env.RECTO_PROFILE && env.RECTO_API_KEY) return undefined
  const { current, profiles } = readProfiles(terminal)
  const id = env.RECTO_PROFILE || current
  const profile = id === undefined ? undefined : profiles[id]
  if (id === undefined || !profile) {
    if (env.RECTO_PROFILE) throw new UsageError(`there is no profile ${id}; \`recto profiles\` lists them`)
    return undefined
  }
  if (env.RECTO_PROFILE || !env.RECTO_URL || sameUrl(env.RECTO_URL, profile.url)) return { ...profile, id }
  return undefined
}

/** Changes the file. One process at a time: `change` sees what others have written. */
export async function changeProfiles<T>(
  terminal: Env,
  change: (profiles: Profiles) => Promise<readonly [Profiles, T]>,
): Promise<T> {
  const path = profilesFile(terminal)
  makeFolder(dirname(path), 0o700)
  const lock = `${path}.lock`
  while (!tryLock(lock)) await delay(LOCK_POLL_MS)
  try {
    const [changed, result] = await change(readProfiles(terminal))
    const temporary = `${path}.${process.pid}`
    writeFileSync(temporary, `${JSON.stringify(changed, undefined, 2)}\n`, { mode: OWNER_ONLY })
    chmodSync(temporary, OWNER_ONLY)
    renameSync(temporary, path)
    return result
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

/** A folder, because its creation fails if it exists. */
function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  if (Date.now() - since > LOCK_EXPIRES_MS) rmSync(lock, { recursive: true, force: true })
  return false
}

function sameUrl(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '')
}
