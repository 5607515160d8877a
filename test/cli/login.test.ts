import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { runLine } from '@recto/cli/recto.ts'
import { until } from '../support/embedded.ts'
import { ALLOW, decide, openBrowser } from '../support/oauth.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { recordingTerminal, runCommand } from '../support/terminal.ts'

let service: Service
const home = mkdtempSync(join(tmpdir(), 'recto-home-'))
const file = join(home, '.config/recto/profiles.json')
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

/** Signs in as the admin: decides on the consent screen, and follows the redirect to the command line. */
async function login(words: readonly string[], decision: Readonly<Record<string, string>> = ALLOW) {
  const terminal = recordingTerminal({ HOME: home })
  const url = service.app.address
  const done = runLine(['login', '--url', url, '--no-browser', ...words], { ...terminal, input: Readable.from([]) })
  await until(() => /^http.*\/oauth\/authorize\?/m.test(terminal.said.err))
  const [address = ''] = /^http.*$/m.exec(terminal.said.err) ?? []
  const back = await decide(await openBrowser(url, service.admin.key ?? ''), address, decision)
  const page = await fetch(back)
  return { code: await done, page: await page.text(), address: new URL(address), ...terminal.said }
}

const stored = () => JSON.parse(readFileSync(file, 'utf8'))
const run = (...words: string[]) => runCommand(words, { HOME: home })

test('login opens the consent screen with PKCE and a loopback redirect, and commands act with its tokens', async () => {
  const { code, out, err, page, address } = await login([])
  assert.equal(code, 0, err)
  assert.match(out, /^Signed in to http.* as Admin\. The profile default is in /)
  assert.match(page, /close this window/)
  assert.equal(address.searchParams.get('code_challenge_method'), 'S256')
  assert.equal(new URL(String(address.searchParams.get('redirect_uri'))).hostname, '127.0.0.1')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(join(home, '.config/recto')).mode & 0o777, 0o700)
  const written = await runCommand(['put', 'docs/a'], { HOME: home }, '# A')
  assert.equal(written.code, 0, written.err)
  assert.equal((await run('get', 'docs/a')).out, '# A')
  const [version] = (await service.admin.get('/pages/docs/a/versions')).json.items
  assert.equal(version.createdBy.via, 'Recto command line')
})

test('concurrent commands refresh an expired token once', async () => {
  const all = stored()
  const { signIn } = all.profiles.default
  all.profiles.default.signIn = { ...signIn, expiresAt: new Date(0).toISOString(), accessToken: 'oat_expired' }
  writeFileSync(file, JSON.stringify(all))
  const runs = await Promise.all([run('ls', 'docs'), run('ls', 'docs'), run('ls', 'docs')])
  for (const { code, err } of runs) assert.equal(code, 0, err)
  const refreshed = stored().profiles.default.signIn
  assert.notEqual(refreshed.refreshToken, signIn.refreshToken)
  assert.ok(Date.parse(refreshed.expiresAt) > Date.now())
  // A second use of a refresh token would have ended the connection.
  assert.equal((await run('whoami')).code, 0)
})

test('profiles hold several services, by key too; --profile and the environment choose', async () => {
  const other = await newPerson(service.admin, 'Robot', { kind: 'agent' })
  const words = ['login', '--key', '--profile', 'ci', '--url', service.app.address]
  assert.equal((await runCommand(words, { HOME: home }, `${other.key}\n`)).code, 0)
  const { out } = await run('profiles', '--json')
  assert.deepEqual(
    JSON.parse(out).map(({ url, ...row }: { url: string }) => row),
    [
      { profile: 'default', current: false, name: 'Admin', with: 'browser' },
      { profile: 'ci', current: true, name: 'Robot', with: 'key' },
    ],
  )
  const who = async (...more: string[]) => JSON.parse((await run('whoami', '--json', ...more)).out).name
  assert.deepEqual([await who(), await who('--profile', 'default')], ['Robot', 'Admin'])
  await run('profiles', '--use', 'default')
  assert.equal(await who(), 'Admin')
  const env = { HOME: home, RECTO_URL: service.app.address, RECTO_API_KEY: other.key }
  assert.equal(JSON.parse((await runCommand(['whoami', '--json'], env)).out).name, 'Robot')
  const absent = await run('whoami', '--profile', 'none')
  assert.deepEqual([absent.code, /there is no profile none/.test(absent.err)], [64, true])
  const wrong = await runCommand([...words.slice(0, 3), 'bad', ...words.slice(4)], { HOME: home }, 'svc_wrong')
  assert.equal(wrong.code, 2)
  assert.equal(wrong.err, `recto: ${service.app.address} does not accept this key: The API key is not valid.\n`)
  assert.equal(stored().profiles.bad, undefined)
})

test('logout disconnects the app and removes the profile; then the tokens are refused', async () => {
  const { accessToken } = stored().profiles.default.signIn
  const { code, out } = await run('logout', '--profile', 'default')
  assert.equal(code, 0)
  assert.match(out, /Signed out/)
  assert.deepEqual(Object.keys(stored().profiles), ['ci'])
  assert.equal(stored().current, 'ci')
  await until(async () => (await service.as(accessToken).get('/me')).status === 401)
  const again = await run('logout', '--profile', 'default')
  assert.equal(again.code, 64)
})

test('a sign-in that the person rejects, and one that has ended, are errors that say so', async () => {
  const rejected = await login([], { decision: 'refuse' })
  assert.equal(rejected.code, 2)
  assert.match(rejected.err, /signing in at http.* failed: The person declined/)
  assert.match(rejected.page, /Not signed in/)
  assert.equal((await login([])).code, 0)
  const all = stored()
  all.profiles.default.signIn.expiresAt = new Date(0).toISOString()
  all.profiles.default.signIn.refreshToken = 'wrong'
  writeFileSync(file, JSON.stringify(all))
  const ended = await run('whoami')
  assert.deepEqual([ended.code, ended.err], [2, 'recto: your sign-in has ended: run `recto login` again\n'])
})

test('after a logout of the default profile the only one left is the default, of several one has to be chosen', async () => {
  const alone = mkdtempSync(join(tmpdir(), 'recto-home-'))
  const env = { HOME: alone }
  const names = ['one', 'two', 'three']
  for (const name of names) {
    const words = ['login', '--key', '--profile', name, '--url', service.app.address]
    assert.equal((await runCommand(words, env, `${service.admin.key}\n`)).code, 0)
  }
  assert.match((await runCommand(['logout'], env)).out, /no default profile now: choose one with `recto profiles --use/)
  await runCommand(['profiles', '--use', 'two'], env)
  const { out } = await runCommand(['logout'], env)
  assert.ok(!out.includes('no default'), out)
  assert.equal(JSON.parse((await runCommand(['whoami', '--json'], env)).out).name, 'Admin')
  await runCommand(['logout'], env)
  const { err } = await runCommand(['whoami'], { ...env, SVC_DATA: alone })
  assert.equal(err, 'recto: not signed in: run `recto login`, or set RECTO_API_KEY\n')
  rmSync(alone, { recursive: true })
})
