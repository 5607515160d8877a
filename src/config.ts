import { resolve } from 'node:path'
import { isToken } from './lib/token.ts'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Everything that a deployment can set, read once at start. Sizes are bytes, times milliseconds. */
export interface Config {
  readonly data: string
  /** Absent: the embedded PostgreSQL serves from `data`. */
  readonly databaseUrl: string | undefined
  readonly databasePool: number
  /** Named statements: always with the embedded server, by choice with others (poolers may refuse them). */
  readonly databasePrepared: boolean
  /** Origin that people use, without a trailing slash; absent: the address that the server listens on. */
  readonly publicUrl: string | undefined
  readonly host: string
  readonly port: number
  readonly logLevel: LogLevel
  readonly adminApiKey: string | undefined
  readonly maxBodyBytes: number
  readonly maxMetadataValueBytes: number
  readonly maxWaitingWriters: number
  readonly requestTimeoutMs: number
  readonly trustProxy: boolean
  /** Requests a minute for each key; 0: as many as it likes. */
  readonly rateLimit: number
  /** Seals the secrets of webhooks; absent: a key that is kept in `data`. */
  readonly secretKey: Buffer | undefined
  readonly webhooksAllowHttp: boolean
  readonly webhooksAllowPrivateUrls: boolean
  /** Seconds before each further attempt of a delivery. */
  readonly webhooksRetrySchedule: readonly number[]
}

/** Thrown by `loadConfig`, with every problem that was found. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Every variable, for the documentation: name, default as written, what it does. */
export const VARIABLES = {
  SVC_DATA: './data',
  SVC_DATABASE_URL: '',
  SVC_DATABASE_POOL: '16',
  SVC_DATABASE_PREPARED: '0',
  SVC_PUBLIC_URL: '',
  SVC_HOST: '127.0.0.1',
  SVC_PORT: '3000',
  SVC_LOG_LEVEL: 'info',
  SVC_ADMIN_API_KEY: '',
  SVC_MAX_BODY_BYTES: '1048576',
  SVC_MAX_METADATA_VALUE_BYTES: '65536',
  SVC_MAX_WAITING_WRITERS: '1000',
  SVC_REQUEST_TIMEOUT_MS: '30000',
  SVC_TRUST_PROXY: '0',
  SVC_RATE_LIMIT: '600',
  SVC_SECRET_KEY: '',
  SVC_WEBHOOKS_ALLOW_HTTP: '0',
  SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '0',
  SVC_WEBHOOKS_RETRY_SCHEDULE: '5,300,1800,7200,18000,36000,36000',
} as const

type Variable = keyof typeof VARIABLES

const SECRETS: ReadonlySet<Variable> = new Set(['SVC_DATABASE_URL', 'SVC_ADMIN_API_KEY', 'SVC_SECRET_KEY'])
const MAX_RETRIES = 20
const MAX_RETRY_SECONDS = 7 * 24 * 3600

/** Reads the variables `SVC_*` of `env`; throws `ConfigError` that names every mistake, unknown ones included. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems = unknownVariables(env)
  const read = <T>(name: Variable, parse: (text: string) => T | Problem): T | undefined => {
    const text = env[name]?.trim() || VARIABLES[name]
    if (text === '') return undefined
    const value = parse(text)
    if (!(value instanceof Problem)) return value
    problems.push(`${name}=${hidden(name, text)}: ${value.message}`)
    return undefined
  }
  const required = <T>(name: Variable, parse: (text: string) => T | Problem): T =>
    read(name, parse) ?? (undefined as T) // only ever undefined when a problem was recorded, and then we throw
  const config: Config = {
    data: required('SVC_DATA', (text) => resolve(text)),
    databaseUrl: read('SVC_DATABASE_URL', databaseUrl),
    databasePool: required('SVC_DATABASE_POOL', integer(2, 200)),
    databasePrepared: required('SVC_DATABASE_PREPARED', flag),
    publicUrl: read('SVC_PUBLIC_URL', origin),
    host: required('SVC_HOST', (text) => text),
    port: required('SVC_PORT', integer(0, 65_535)),
    logLevel: required('SVC_LOG_LEVEL', oneOf(LOG_LEVELS)),
    adminApiKey: read('SVC_ADMIN_API_KEY', apiKey),
    maxBodyBytes: required('SVC_MAX_BODY_BYTES', integer(1, 64 * 1024 * 1024)),
    maxMetadataValueBytes: required('SVC_MAX_METADATA_VALUE_BYTES', integer(1024, 16 * 1024 * 1024)),
    maxWaitingWriters: required('SVC_MAX_WAITING_WRITERS', integer(1, 100_000)),
    requestTimeoutMs: required('SVC_REQUEST_TIMEOUT_MS', integer(100, 600_000)),
    trustProxy: required('SVC_TRUST_PROXY', flag),
    rateLimit: required('SVC_RATE_LIMIT', integer(0, 1_000_000)),
    secretKey: read('SVC_SECRET_KEY', secretKey),
    // These two open the deployment: whatever is not exactly 1 leaves it shut.
    webhooksAllowHttp: env.SVC_WEBHOOKS_ALLOW_HTTP === '1',
    webhooksAllowPrivateUrls: env.SVC_WEBHOOKS_ALLOW_PRIVATE_URLS === '1',
    webhooksRetrySchedule: required('SVC_WEBHOOKS_RETRY_SCHEDULE', retrySchedule),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

class Problem {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && !Object.hasOwn(VARIABLES, name))
    .map((name) => `${name}: no such variable; docs/configuration.md lists them`)
}

/** Values that may hold a password or a key are not repeated in messages. */
function hidden(name: Variable, text: string): string {
  return SECRETS.has(name) ? '(not shown)' : text
}

function integer(min: number, max: number): (text: string) => number | Problem {
  return (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : new Problem(`must be a whole number from ${min} to ${max}`)
  }
}

function flag(text: string): boolean | Problem {
  if (text === '1') return true
  return text === '0' ? false : new Problem('must be 1 or 0')
}

function oneOf<T extends string>(values: readonly T[]): (text: string) => T | Problem {
  return (text) =>
    values.find((value) => value === text) ?? new Problem(`must be one of ${values.join(', ')}`)
}

function origin(text: string): string | Problem {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    return new Problem('must be an address such as https://wiki.example.org')
  }
  const bare = url.pathname === '/' && !url.search && !url.hash && !url.username
  return bare ? url.origin : new Problem('must be an origin only, without a path, query or credentials')
}

function databaseUrl(text: string): string | Problem {
  const url = URL.parse(text)
  return url && ['postgres:', 'postgresql:'].includes(url.protocol)
    ? text
    : new Problem('must be an address such as postgres://user:password@host:5432/database')
}

function apiKey(text: string): string | Problem {
  return isToken('svc_', text)
    ? text
    : new Problem(
        'must be svc_ and 36 characters, the last 6 of them a checksum; `npm run recto -- keys generate` prints one',
      )
}

function secretKey(text: string): Buffer | Problem {
  const key = Buffer.from(text, 'base64')
  const exact = key.length === 32 && key.toString('base64').replace(/=$/, '') === text.replace(/=$/, '')
  return exact ? key : new Problem('must be 32 bytes in base64; `openssl rand -base64 32` prints such a key')
}

function retrySchedule(text: string): readonly number[] | Problem {
  const parts = text.split(',').map((part) => part.trim())
  const seconds = parts.map((part) => (/^\d{1,6}$/.test(part) ? Number(part) : Number.NaN))
  const sound =
    parts.length <= MAX_RETRIES && seconds.every((value) => value >= 1 && value <= MAX_RETRY_SECONDS)
  return sound
    ? seconds
    : new Problem(
        `must be at most ${MAX_RETRIES} whole numbers of seconds from 1 to ${MAX_RETRY_SECONDS}, with commas between them`,
      )
}
