import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parse } from 'yaml'
import { VARIABLES } from '../packages/server/src/platform/config.ts'
import { MAX_STOP_MS } from '../packages/server/src/platform/database/embedded/postmaster.ts'
import { MAX_CLOSE_MS } from '../packages/server/src/platform/http/graceful-shutdown.ts'
import { ROOT } from './support/process.ts'

// What is shipped in deploy/ is checked by the program that reads it, where that is installed.
const DEPLOY = join(ROOT, 'deploy')
const files = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' }).filter((file) =>
  statSync(join(DEPLOY, file)).isFile(),
)
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'recto-deploy-'))
after(() => rmSync(folder, { recursive: true }))

const missing = (program: string) => (spawnSync(program, ['--version']).error ? `${program} is not installed` : false)

function assertRuns(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}${stderr}`)
  return `${stdout}${stderr}`
}

test('haproxy accepts haproxy.cfg', { skip: missing('haproxy') }, () => {
  const said = assertRuns('haproxy', ['-c', '-f', join(DEPLOY, 'haproxy.cfg')])
  // The names are those of containers.
  const warnings = said.split('\n').filter((line) => line.startsWith('[WARNING]'))
  for (const line of warnings) assert.match(line, /could not resolve address/)
})

test('nginx accepts nginx.conf, and nginx-cache.conf beside it', { skip: missing('nginx') }, () => {
  const [main, cache] = [join(folder, 'nginx.conf'), join(folder, 'nginx-cache.conf')]
  writeFileSync(cache, read('nginx-cache.conf').replace('/var/cache/nginx/recto', `${folder}/cache`))
  const site = `access_log off; include ${DEPLOY}/nginx.conf; include ${cache};`
  writeFileSync(main, `pid ${folder}/pid; error_log ${folder}/log; events {} http { ${site} }`)
  assertRuns('nginx', ['-t', '-c', main])
})

test('systemd accepts recto.service', { skip: missing('systemd-analyze') }, () => {
  const unit = join(folder, 'recto.service')
  writeFileSync(unit, read('recto.service').replace('/usr/bin/node', process.execPath))
  const said = assertRuns('systemd-analyze', ['verify', unit])
  assert.doesNotMatch(said, /recto\.service/)
})

test('every variable that is set in deploy/ exists', () => {
  for (const file of files) {
    for (const [name] of read(file).matchAll(/\bSVC_[A-Z_]+[A-Z]\b/g)) {
      assert.ok(Object.hasOwn(VARIABLES, name), `deploy/${file} sets ${name}, which does not exist`)
    }
  }
})

test('the Compose files are YAML, mount existing files, and give every node the database and the key', () => {
  const one = parse(read('compose.yaml'), { merge: true })
  assert.deepEqual(Object.keys(one.services), ['recto'])
  const { services, volumes } = parse(read('compose.ha.yaml'), { merge: true })
  const names = (prefix: string) => Object.keys(services).filter((name) => name.startsWith(prefix))
  assert.deepEqual(
    ['recto', 'patroni', 'etcd', 'haproxy'].map((prefix) => names(prefix).length),
    [3, 3, 3, 1],
  )
  for (const name of names('recto')) {
    assert.match(services[name].environment.SVC_DATABASE_URL, /@haproxy:5432\/recto$/)
    assert.ok(services[name].environment.SVC_SECRET_KEY)
  }
  for (const [name, service] of Object.entries<{ volumes: string[]; environment?: Record<string, string> }>(services)) {
    for (const volume of service.volumes) {
      const [source = ''] = volume.split(':')
      if (source.startsWith('./')) assert.ok(statSync(join(DEPLOY, source)).isFile(), `${name}: ${source}`)
      else assert.ok(Object.hasOwn(volumes, source), `${name}: ${source}`)
    }
  }
  for (const name of names('patroni')) assert.equal(services[name].environment.PATRONI_NAME, name)
  for (const name of names('etcd')) assert.equal(services[name].environment.ETCD_NAME, name)
})

test('Patroni acknowledges no write that only one server has, and is 4 or newer', () => {
  const { bootstrap, postgresql } = parse(read('patroni/patroni.yml'))
  const { dcs } = bootstrap
  // Until the first standby is there nothing is written: its copy begins at once.
  assert.equal(postgresql.basebackup.checkpoint, 'fast')
  assert.deepEqual([dcs.synchronous_mode, dcs.synchronous_mode_strict], [true, true])
  assert.match(read('patroni/Dockerfile'), /patroni\[etcd3,psycopg3\]>=4\.1\.4,<5/)
})

test('every value that the Helm chart uses has a default', () => {
  const values = parse(read('helm/recto/values.yaml'))
  const templates = files.filter((file) => file.startsWith('helm/recto/templates/'))
  assert.ok(templates.length >= 5)
  for (const file of templates) {
    for (const [, path = ''] of read(file).matchAll(/\.Values\.([\w.]+)/g)) {
      const keys = path.split('.')
      const value = keys.reduce((of, key) => of?.[key], values)
      assert.notEqual(value, undefined, `${file}: ${path}`)
    }
  }
})

test('the stop timeout of every deployment exceeds draining, closing and stopping the database together', () => {
  const [, drain] = /SVC_DRAIN_SECONDS=(\d+)/.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? []
  const needed = Number(drain) + (MAX_CLOSE_MS + MAX_STOP_MS) / 1000
  const compose = (file: string, service: string) =>
    Number.parseInt(parse(read(file), { merge: true }).services[service].stop_grace_period, 10)
  const [, unit] = /^TimeoutStopSec=(\d+)$/m.exec(read('recto.service')) ?? []
  const given = {
    'compose.yaml': compose('compose.yaml', 'recto'),
    'compose.ha.yaml': compose('compose.ha.yaml', 'recto1'),
    'recto.service': Number(unit),
    helm: parse(read('helm/recto/values.yaml')).terminationGracePeriodSeconds,
  }
  for (const [file, seconds] of Object.entries(given)) assert.ok(seconds > needed, `${file}: ${seconds} s`)
})

test('the health checks of every load balancer remove a node before it has drained', () => {
  const [, seconds = '', falls = ''] =
    /default-server check inter (\d+)s fall (\d+) rise/.exec(read('haproxy.cfg')) ?? []
  const { readinessProbe } = nodeContainer()
  for (const time of [
    Number(seconds) * Number(falls),
    readinessProbe.periodSeconds * readinessProbe.failureThreshold,
  ]) {
    assert.ok(time > 0 && time < 5, `${time} s`)
  }
})

test('a node of the Helm chart receives requests while the database is unavailable, so that they wait in it', () => {
  const { startupProbe, readinessProbe } = nodeContainer()
  assert.deepEqual([startupProbe.httpGet.path, readinessProbe.httpGet.path], ['/readyz', '/healthz'])
})

test('the nodes of the Helm chart do not run as root, and have a read-only root file system, like the image', () => {
  const { securityContext, volumeMounts } = nodeContainer()
  assert.deepEqual(securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  const writable = volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
  assert.deepEqual(writable, ['/data', '/tmp'])
})

test('every test that docs/operations.md names as a proof exists', () => {
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
  const named = [...text.matchAll(/`(test\/[\w/.-]+\.ts)`/g)].map(([, file = '']) => file)
  assert.ok(named.length >= 8)
  for (const file of named) assert.ok(existsSync(join(ROOT, file)), file)
})

/** The container of the Deployment; what the template fills in is left out. */
function nodeContainer() {
  const plain = read('helm/recto/templates/deployment.yaml')
    .replaceAll(/^.*\{\{-? (?:range|end).*$/gm, '')
    .replaceAll(/"?\{\{.*\}\}"?/g, 'x')
  return parse(plain, { strict: false, uniqueKeys: false }).spec.template.spec.containers[0]
}
