import { resolve } from 'node:path'
import { isWildcardHost } from '@recto/lib/network/own-origins.ts'
import { isWithinEdits } from '@recto/lib/text/edits.ts'
import { PSEUDO } from '@recto/lib/text/message-format.ts'
import { databaseUrl, replicaUrl } from './config/database.ts'
import { mailConfig, mailFrom, smtpUrl } from './config/mail.ts'
import { issuer, oidcConfig, oidcRoles, oidcScope } from './config/oidc.ts'
import { flag, integer, origin, Problem, parseChoice, webAddress } from './config/parse.ts'
import { s3Config } from './config/s3.ts'
import { apiKey, metricsToken, secretKey } from './config/secrets.ts'
import { SCREEN_LANGUAGES } from './language/t.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** All settings, read once at start. Sizes are in bytes, times in milliseconds. */
export type Config = Readonly<ReturnType<typeof settings>>

/** Thrown by `loadConfig`, with all mistakes. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Every variable, for the documentation: name, default, meaning. */
export const VARIABLES = {
  SVC_DATA: './data',
  SVC_DATABASE_URL: '',
  SVC_DATABASE_REPLICA_URL: '',
  SVC_DATABASE_POOL: '16',
  SVC_DATABASE_PREPARED: '0',
  SVC_POSTGRES_BIN: '',
  SVC_PUBLIC_URL: '',
  SVC_CORS_ORIGINS: '',
  SVC_HOST: '127.0.0.1',
  SVC_PORT: '3000',
  SVC_LOG_LEVEL: 'info',
  SVC_LOG_REQUESTS: 'notable',
  SVC_ADMIN_API_KEY: '',
  SVC_MAX_BODY_BYTES: '1048576',
  SVC_MARKDOWN_CPU_MS: '5000',
  SVC_EXTERNAL_IMAGES: 'load',
  SVC_LANGUAGE: 'en',
  SVC_SHARES: 'on',
  SVC_MAX_IMPORT_BYTES: '2147483648',
  SVC_SPACE_TEMPLATES_URL: '',
  SVC_SPACE_TEMPLATES_ALLOW_HTTP: '0',
  SVC_SPACE_TEMPLATES_ALLOW_PRIVATE_URLS: '0',
  SVC_MAX_METADATA_VALUE_BYTES: '65536',
  SVC_MAX_FILE_BYTES: '104857600',
  SVC_SPACE_QUOTA_BYTES: '0',
  SVC_FILES_S3_URL: '',
  SVC_FILES_STRIP_METADATA: '0',
  SVC_MAX_WAITING_WRITERS: '1000',
  SVC_TRASH_RETENTION_DAYS: '30',
  SVC_REQUEST_TIMEOUT_MS: '30000',
  SVC_DRAIN_SECONDS: '0',
  SVC_TRUST_PROXY: '0',
  SVC_RATE_LIMIT: '600',
  SVC_PUBLIC_SPACES: 'off',
  SVC_PUBLIC_RATE_LIMIT: '120',
  SVC_METRICS_TOKEN: '',
  SVC_METRICS_PORT: '',
  SVC_METRICS_HOST: '127.0.0.1',
  SVC_MAX_CONCURRENT_REQUESTS: '32',
  SVC_MAX_STREAMS_PER_KEY: '20',
  SVC_MAX_STREAMS: '2000',
  SVC_OAUTH_ALLOW_PRIVATE_URLS: '0',
  SVC_OIDC_ISSUER: '',
  SVC_OIDC_CLIENT_ID: '',
  SVC_OIDC_CLIENT_SECRET: '',
  SVC_OIDC_SCOPE: 'openid profile email',
  SVC_OIDC_ROLE_CLAIM: '',
  SVC_OIDC_ROLES: '*=member',
  SVC_OIDC_GROUPS_CLAIM: '',
  SVC_OIDC_ADMIN_EMAIL: '',
  SVC_OIDC_TRUST_EMAIL: '1',
  SVC_SMTP_URL: '',
  SVC_MAIL_FROM: '',
  SVC_SECRET_KEY: '',
  SVC_WEBHOOKS_ALLOW_HTTP: '0',
  SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '0',
  SVC_WEBHOOKS_RETRY_SCHEDULE: '5,300,1800,7200,18000,36000,36000',
} as const

type Variable = keyof typeof VARIABLES

const SECRETS: ReadonlySet<Variable> = new Set([
  'SVC_DATABASE_URL',
  'SVC_FILES_S3_URL',
  'SVC_DATABASE_REPLICA_URL',
  'SVC_METRICS_TOKEN',
  'SVC_ADMIN_API_KEY',
  'SVC_SECRET_KEY',
  'SVC_OIDC_CLIENT_SECRET',
  'SVC_SMTP_URL',
])
const MAX_RETRIES = 20
const MAX_RETRY_SECONDS = 7 * 24 * 3600

/** Parses the variables `SVC_*` of `env`; throws a `ConfigError` with all mistakes. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const config = settings(env, problems)
  if (env.SVC_METRICS_HOST?.trim() && !env.SVC_METRICS_PORT?.trim()) {
    problems.push('SVC_METRICS_HOST: needs SVC_METRICS_PORT: without it metrics are served on SVC_PORT')
  }
  if (env.SVC_DATABASE_REPLICA_URL?.trim() && !env.SVC_DATABASE_URL?.trim()) {
    problems.push('SVC_DATABASE_REPLICA_URL: needs SVC_DATABASE_URL: the embedded database has no replicas')
  }
  // With a mistyped name of the database an empty one would be made.
  for (const { name, meantName } of findUnknownVariables(env)) {
    if (meantName) problems.push(`${name}: there is no such variable: did you mean ${meantName}?`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function settings(env: Readonly<Record<string, string | undefined>>, problems: string[]) {
  const reader = createReader(env, problems)
  return {
    ...serverSettings(reader),
    ...contentSettings(reader),
    ...limitSettings(reader),
    ...signInSettings(reader, problems),
    /** Whether traces are exported; the OpenTelemetry SDK reads the endpoint. */
    tracing: tracing(env, problems),
    // These two weaken the protection of the deployment.
    webhooksAllowHttp: reader.required('SVC_WEBHOOKS_ALLOW_HTTP', flag),
    webhooksAllowPrivateUrls: reader.required('SVC_WEBHOOKS_ALLOW_PRIVATE_URLS', flag),
    /** Seconds before each further attempt of a delivery. */
    webhooksRetrySchedule: reader.required('SVC_WEBHOOKS_RETRY_SCHEDULE', retrySchedule),
  }
}

interface Reader {
  read<T>(name: Variable, parse: (text: string) => T | Problem): T | undefined
  /** Undefined only where a mistake was recorded. */
  required<T>(name: Variable, parse: (text: string) => T | Problem): T
}

function createReader(env: Readonly<Record<string, string | undefined>>, problems: string[]): Reader {
  function read<T>(name: Variable, parse: (text: string) => T | Problem): T | undefined {
    const text = env[name]?.trim() || VARIABLES[name]
    if (text === '') return undefined
    const value = parse(text)
    if (!(value instanceof Problem)) return value
    problems.push(`${name}=${hidden(name, text)}: ${value.message}`)
    return undefined
  }
  return {
    read,
    // the caller throws for the mistake
    required: <T>(name: Variable, parse: (text: string) => T | Problem): T => read(name, parse) ?? (undefined as T),
  }
}

function serverSettings({ read, required }: Reader) {
  const host = required('SVC_HOST', (text) => text)
  const port = required('SVC_PORT', integer(0, 65_535))
  const publicUrl = read('SVC_PUBLIC_URL', origin) ?? localhostUrl(host, port)
  return {
    data: required('SVC_DATA', (text) => resolve(text)),
    /** Absent: the embedded PostgreSQL serves from `data`. */
    databaseUrl: read('SVC_DATABASE_URL', databaseUrl),
    /** Standbys of that database, which serve reads; absent: none. */
    databaseReplicaUrl: read('SVC_DATABASE_REPLICA_URL', replicaUrl),
    databasePool: required('SVC_DATABASE_POOL', integer(2, 200)),
    /**
     * Prepared statements: always with the embedded server, optional with others (some poolers do not support them).
     */
    databasePrepared: required('SVC_DATABASE_PREPARED', flag),
    /** Folders with programs of PostgreSQL: the first for the embedded server, all for data of an older version. */
    postgresPrograms: read('SVC_POSTGRES_BIN', (text) => text.split(':').map((path) => path && resolve(path))) ?? [],
    /** Origin that people use, without a trailing slash; absent: the address on which the server will listen. */
    publicUrl,
    /** Nobody knows under which address people reach the service: links cannot be sent. */
    isOriginUnknown: publicUrl === undefined && isWildcardHost(host),
    /** Origins whose scripts may call the API with a bearer credential; `*`: all. Empty: none. */
    corsOrigins: read('SVC_CORS_ORIGINS', corsOrigins) ?? new Set<string>(),
    host,
    port,
    logLevel: required('SVC_LOG_LEVEL', parseChoice(LOG_LEVELS)),
    /** Which requests get a line in the log: writes, errors and slow ones, or all. */
    logRequests: required('SVC_LOG_REQUESTS', parseChoice(['notable', 'all'] as const)),
    requestTimeoutMs: required('SVC_REQUEST_TIMEOUT_MS', integer(100, 600_000)),
    /** How long a stopping node, which is no longer ready, continues to serve before it stops listening. */
    drainMs: required('SVC_DRAIN_SECONDS', integer(0, 600)) * 1000,
    /** The number of trusted proxies, whose `X-Forwarded-*` is used; 0: none. */
    trustedProxies: required('SVC_TRUST_PROXY', integer(0, 10)),
    /** The bearer token for `/metrics` and the reason of `/readyz`; absent: none is required. */
    metricsToken: read('SVC_METRICS_TOKEN', metricsToken),
    /** The port that alone serves metrics and the reason of `/readyz`; absent: the port of the service. */
    metricsAt: metricsAt(
      read('SVC_METRICS_PORT', integer(0, 65_535)),
      required('SVC_METRICS_HOST', (text) => text),
    ),
  }
}

function contentSettings({ read, required }: Reader) {
  return {
    maxBodyBytes: required('SVC_MAX_BODY_BYTES', integer(1, 64 * 1024 * 1024)),
    /** Processor time that a page may take to be parsed or rendered. */
    markdownCpuMs: required('SVC_MARKDOWN_CPU_MS', integer(1, 600_000)),
    /** Whether pages load images of other sites immediately, or on request of the reader. */
    externalImages: required('SVC_EXTERNAL_IMAGES', parseChoice(['load', 'click'] as const)),
    /** The language of screens and mails for those who ask for none that there is. */
    language: required('SVC_LANGUAGE', parseChoice([...SCREEN_LANGUAGES, PSEUDO])),
    /** Whether share links work, and can be made. */
    shares: required('SVC_SHARES', parseChoice(['on', 'off'] as const)) === 'on',
    /** The URL of the remote catalogue of space templates; absent: none. */
    spaceTemplatesUrl: read('SVC_SPACE_TEMPLATES_URL', webAddress),
    /** Whether the catalogue and its bundles may be fetched over plain http, and from private IP addresses. */
    spaceTemplatesAllowHttp: required('SVC_SPACE_TEMPLATES_ALLOW_HTTP', flag),
    spaceTemplatesAllowPrivateUrls: required('SVC_SPACE_TEMPLATES_ALLOW_PRIVATE_URLS', flag),
    /** The maximum size of an import, and of an archive after decompression. */
    maxImportBytes: required('SVC_MAX_IMPORT_BYTES', integer(1, 2 ** 39)),
    maxMetadataValueBytes: required('SVC_MAX_METADATA_VALUE_BYTES', integer(1024, 16 * 1024 * 1024)),
    maxFileBytes: required('SVC_MAX_FILE_BYTES', integer(1, 2 ** 39)),
    /** The bucket for the bytes of files; absent: the database has them. */
    filesS3: read('SVC_FILES_S3_URL', s3Config),
    /** Whether metadata is removed from images when they are uploaded. */
    filesStripMetadata: required('SVC_FILES_STRIP_METADATA', flag),
    /** The quota for the files of a space, each blob counted once; 0: unlimited. */
    spaceQuotaBytes: required('SVC_SPACE_QUOTA_BYTES', integer(0, 999_999_999_999)),
    maxWaitingWriters: required('SVC_MAX_WAITING_WRITERS', integer(1, 100_000)),
    /** Days that deleted pages are kept; 0: forever. */
    trashRetentionDays: required('SVC_TRASH_RETENTION_DAYS', integer(0, 36_500)),
  }
}

const PUBLIC = parseChoice(['on', 'noindex', 'off'])

function limitSettings({ required }: Reader) {
  return {
    /** Requests per minute for each key; 0: unlimited. */
    rateLimit: required('SVC_RATE_LIMIT', integer(0, 1_000_000)),
    /** Whether spaces may be public: read without an account. */
    publicSpaces: required('SVC_PUBLIC_SPACES', PUBLIC) !== 'off',
    /** Whether search engines may show the pages of public spaces. */
    publicIndexing: required('SVC_PUBLIC_SPACES', PUBLIC) === 'on',
    /** Requests per minute without an account, for each address. */
    publicRateLimit: required('SVC_PUBLIC_RATE_LIMIT', integer(1, 1_000_000)),
    /** Concurrent requests of one key on one node; 0: unlimited. */
    maxConcurrentRequests: required('SVC_MAX_CONCURRENT_REQUESTS', integer(0, 100_000)),
    /** Concurrent streams and long polls of the feed: of one key, and on one node. */
    maxStreamsPerKey: required('SVC_MAX_STREAMS_PER_KEY', integer(1, 100_000)),
    maxStreams: required('SVC_MAX_STREAMS', integer(1, 100_000)),
  }
}

function signInSettings({ read, required }: Reader, problems: string[]) {
  return {
    adminApiKey: read('SVC_ADMIN_API_KEY', apiKey),
    /** Whether metadata documents of apps may be fetched from private IP addresses. */
    oauthAllowPrivateUrls: required('SVC_OAUTH_ALLOW_PRIVATE_URLS', flag),
    /** Absent: people sign in with passwords, passkeys and keys. */
    oidc: oidcConfig(
      {
        issuer: read('SVC_OIDC_ISSUER', issuer),
        clientId: read('SVC_OIDC_CLIENT_ID', (text) => text),
        clientSecret: read('SVC_OIDC_CLIENT_SECRET', (text) => text),
        scope: required('SVC_OIDC_SCOPE', oidcScope),
        roleClaim: read('SVC_OIDC_ROLE_CLAIM', (text) => text),
        groupsClaim: read('SVC_OIDC_GROUPS_CLAIM', (text) => text),
        roles: required('SVC_OIDC_ROLES', oidcRoles),
        adminEmail: read('SVC_OIDC_ADMIN_EMAIL', (text) => text),
        trustsEmail: required('SVC_OIDC_TRUST_EMAIL', flag),
      },
      problems,
    ),
    /** Absent: one-time links are shown to be copied. */
    mail: mailConfig(read('SVC_SMTP_URL', smtpUrl), read('SVC_MAIL_FROM', mailFrom), problems),
    /** Encrypts the secrets of webhooks; absent: a key that is stored in `data`. */
    secretKey: read('SVC_SECRET_KEY', secretKey),
  }
}

/** Edits by which a mistyped name differs: a setting of a newer release is named otherwise. */
const MAX_EDITS = 2

/** The variables `SVC_*` that this release does not know, each with the known one that was probably meant. */
function findUnknownVariables(env: Readonly<Record<string, string | undefined>>) {
  const unknownNames = Object.keys(env).filter((name) => name.startsWith('SVC_') && !Object.hasOwn(VARIABLES, name))
  return unknownNames.map((name) => {
    return { name, meantName: Object.keys(VARIABLES).find((own) => isWithinEdits(name, own, MAX_EDITS)) }
  })
}

/** Sentences about settings of a newer release, which do not keep an older one from starting. */
export function describeUnknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return findUnknownVariables(env).map(
    ({ name }) => `This release has no variable ${name}, which is ignored: docs/configuration.md lists all`,
  )
}

/** The SDK would ignore an invalid URL. */
function tracing(env: Readonly<Record<string, string | undefined>>, problems: string[]): boolean {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim()
  if (!endpoint || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false
  if (webAddress(endpoint) instanceof Problem)
    problems.push('OTEL_EXPORTER_OTLP_ENDPOINT: must be an address such as http://127.0.0.1:4318')
  return true
}

/** Values that may contain a password or a key are not repeated in messages. */
function hidden(name: Variable, text: string): string {
  return SECRETS.has(name) ? '(not shown)' : text
}

function corsOrigins(text: string): '*' | ReadonlySet<string> | Problem {
  if (text === '*') return text
  const origins = text.split(/[\s,]+/).filter(Boolean)
  const parsedOrigins = origins.map(origin)
  const problem = parsedOrigins.find((one) => one instanceof Problem)
  return problem ?? new Set(parsedOrigins as string[]) // it contains no mistake
}

/** The origin of a service that only this machine reaches. Passkeys need a host name. */
function localhostUrl(host: string, port: number): string | undefined {
  return port !== 0 && ['127.0.0.1', '::1', 'localhost'].includes(host) ? `http://localhost:${port}` : undefined
}

function metricsAt(port: number | undefined, host: string) {
  return port === undefined ? undefined : { host, port }
}

function retrySchedule(text: string): readonly number[] | Problem {
  const parts = text.split(',').map((part) => part.trim())
  const seconds = parts.map((part) => (/^\d{1,6}$/.test(part) ? Number(part) : Number.NaN))
  const sound = parts.length <= MAX_RETRIES && seconds.every((value) => value >= 1 && value <= MAX_RETRY_SECONDS)
  return sound
    ? seconds
    : new Problem(
        `must be at most ${MAX_RETRIES} whole numbers of seconds from 1 to ${MAX_RETRY_SECONDS}, ` +
          `with commas between them`,
      )
}
