import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ConfigError, describeUnknownVariables, loadConfig, VARIABLES } from './config.ts'

test('an empty environment gives the defaults', () => {
  const config = loadConfig({ PATH: '/bin' })
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.port, 3000)
  assert.equal(config.databaseUrl, undefined)
  assert.equal(config.maxBodyBytes, 1_048_576)
  assert.match(config.data, /\/data$/)
})

test('a service that only this machine reaches is localhost to people, since passkeys need a host name', () => {
  const url = (env: Record<string, string>) => loadConfig(env).publicUrl
  assert.equal(url({}), 'http://localhost:3000')
  assert.equal(url({ SVC_HOST: '::1', SVC_PORT: '8080' }), 'http://localhost:8080')
  assert.equal(url({ SVC_HOST: '0.0.0.0' }), undefined)
  // The port is known only once the server listens.
  assert.equal(url({ SVC_PORT: '0' }), undefined)
  assert.equal(url({ SVC_PUBLIC_URL: 'http://127.0.0.1:3000' }), 'http://127.0.0.1:3000')
})

test('links have no address if the service listens everywhere and nobody says where people reach it', () => {
  const unknown = (env: Record<string, string>) => loadConfig(env).isOriginUnknown
  for (const host of ['0.0.0.0', '::', '0', '0::0']) {
    assert.equal(unknown({ SVC_HOST: host }), true, host)
    assert.equal(unknown({ SVC_HOST: host, SVC_PUBLIC_URL: 'https://wiki.example' }), false, host)
  }
  for (const host of ['127.0.0.1', '192.0.2.1', 'wiki.example']) {
    assert.equal(unknown({ SVC_HOST: host }), false, host)
  }
})

test('a switch takes 1 and 0, and every other word is a mistake', () => {
  const switches = [
    'SVC_WEBHOOKS_ALLOW_HTTP',
    'SVC_WEBHOOKS_ALLOW_PRIVATE_URLS',
    'SVC_DATABASE_PREPARED',
    'SVC_FILES_STRIP_METADATA',
  ]
  for (const name of switches) {
    for (const word of ['yes', 'true', 'on', 'no', '2', '01', '1x']) {
      assert.throws(() => loadConfig({ [name]: word }), new RegExp(`${name}=${word}: must be 1 or 0`))
    }
  }
  assert.equal(loadConfig({ SVC_WEBHOOKS_ALLOW_HTTP: '1' }).webhooksAllowHttp, true)
  assert.equal(loadConfig({ SVC_WEBHOOKS_ALLOW_HTTP: ' 0 ' }).webhooksAllowHttp, false)
})

test('all mistakes are reported together, without secrets', () => {
  const env = {
    SVC_PORT: '70000',
    SVC_LOG_LEVEL: 'loud',
    SVC_PUBLIC_URL: 'https://a.example/path',
    SVC_DATABASE_URL: 'mysql://root:hunter2@db',
    SVC_ADMIN_API_KEY: 'svc_short',
    SVC_TRUST_PROXY: 'yes',
  }
  assert.throws(
    () => loadConfig(env),
    (error) => {
      assert.ok(error instanceof ConfigError)
      assert.equal(error.problems.length, 6)
      for (const name of Object.keys(env)) assert.match(error.message, new RegExp(name))
      assert.doesNotMatch(error.message, /hunter2|svc_short/)
      return true
    },
  )
})

test('a variable that is mistyped is a mistake, and one of a newer release is not; their values are not named', () => {
  const typos = { SVC_PROT: '1', SVC_DATABSE_URL: 'postgres://recto:hunter2@db' }
  assert.throws(
    () => loadConfig(typos),
    (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, /SVC_PROT: there is no such variable: did you mean SVC_PORT\?/)
      assert.match(error.message, /SVC_DATABSE_URL: there is no such variable: did you mean SVC_DATABASE_URL\?/)
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    },
  )
  const env = { SVC_OF_A_NEWER_RELEASE: '1', PATH: '/bin' }
  assert.equal(loadConfig(env).port, 3000)
  assert.deepEqual(describeUnknownVariables(env), [
    'This release has no variable SVC_OF_A_NEWER_RELEASE, which is ignored: docs/configuration.md lists all',
  ])
})

test('replicas require an external database, and their sessions are standbys', () => {
  const replica = 'postgres://db2:5432/recto'
  const load = (env: Record<string, string>) => loadConfig(env).databaseReplicaUrl
  assert.equal(load({ SVC_DATABASE_URL: 'postgres://db/recto', SVC_DATABASE_REPLICA_URL: replica }), replica)
  assert.throws(() => load({ SVC_DATABASE_REPLICA_URL: replica }), /needs SVC_DATABASE_URL/)
  const writing = `${replica}?target_session_attrs=read-write`
  assert.throws(
    () => load({ SVC_DATABASE_URL: 'postgres://db/recto', SVC_DATABASE_REPLICA_URL: writing }),
    /must be standby/,
  )
})

test('the table in docs/configuration.md lists exactly the variables, with their defaults', () => {
  const text = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `(SVC_\w+)` \| (?:`([^`]*)`|none) \|/gm)].map(([, name, value]) => [
    name,
    value ?? '',
  ])
  assert.deepEqual(Object.fromEntries(rows), VARIABLES)
})
