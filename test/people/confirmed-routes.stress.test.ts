import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { NOTHING } from '../access/route-rules/rule.ts'
import { ROUTE_RULES } from '../access/route-rules.ts'
import { navigate, sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { openBrowser } from '../support/oauth.ts'
import { newPerson } from '../support/people.ts'
import { formsIn } from '../support/web-session.ts'
import { ASKS, DOES_NOT_ASK, type Fixtures, type SensitiveAction } from './confirmation-rules.ts'

const PASSWORD = 'quartz lantern vivid moss'

let nodes: Nodes
let nobody: Client
let fixtures: Fixtures
/** The cookies of the browser: that of the session, and one of a pending request to connect an app. */
let cookies: Map<string, string>
before(async () => {
  nodes = await startNodes({ SVC_TRUST_PROXY: '1', SVC_RATE_LIMIT: '0' })
  nobody = nodes.as(0, undefined)
  const admin = nodes.admins[0]
  assertStatus(await admin.post('/spaces', { slug: 'docs', name: 'Docs' }), 201)
  const eva = await newPerson(admin, 'Eva', { role: 'admin' })
  const browser = await openBrowser(admin.base, eva.key)
  cookies = browser.cookies
  // A session of a key changes no sign-in methods: this one is of a password.
  assertStatus(await admin.patch(`/admin/principals/${eva.id}`, { email: 'eva@example.org' }), 200)
  const { url } = assertStatus(await admin.post(`/admin/principals/${eva.id}/password-link`), 201).json
  const signedIn = await sendForm(nobody, new URL(url).pathname, { password: PASSWORD })
  const [name = '', value = ''] = sessionCookieOf(assertStatus(signedIn, 303)).split('=')
  cookies.set(name, value)
  await nodes.query('delete from session where principal_id = $1 and key_id is not null', [eva.id])
  fixtures = { admin, nobody, browser, principal: eva.id }
})
after(() => nodes[Symbol.asyncDispose]())

async function setConfirmed(isConfirmed: boolean): Promise<void> {
  const { rowCount } = await nodes.query(
    `update session set confirmed_at = now() - make_interval(secs => $2) where principal_id = $1`,
    [fixtures.principal, isConfirmed ? 0 : 301],
  )
  assert.equal(rowCount, 1)
}

/** A request with the cookies of the browser, or with another credential. */
function send(
  method: string,
  { path, json, fields, headers = {} }: SensitiveAction,
  credential?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const session = cookies.get('svc_session') ?? ''
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const own = { cookie, 'x-csrf-token': deriveCsrfToken(session), 'sec-fetch-site': 'same-origin' }
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields ?? {}))
    for (const one of [value].flat()) form.append(name, one as string)
  return nobody.call(method, path, {
    headers: {
      ...(credential ?? own),
      ...headers,
      ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(json !== undefined && { json }),
    ...(fields && { body: String(form) }),
  })
}

test('every route that changes something asks a session that is older than five minutes, or there is a reason', () => {
  const changing = nodes.routes.filter((route) => !/^(?:GET|HEAD) /.test(route))
  const unnamed = changing.filter((route) => !(route in ASKS) && !DOES_NOT_ASK.has(route))
  assert.deepEqual(unnamed, [], 'name the route in test/people/confirmation-rules.ts')
  const both = Object.keys(ASKS).filter((route) => DOES_NOT_ASK.has(route))
  assert.deepEqual(both, [])
  const known = [...Object.keys(ASKS), ...DOES_NOT_ASK.keys()]
  // Only with a mail server there is a way to ask for a new password.
  const gone = known.filter((route) => !nodes.routes.includes(route) && route !== 'POST /forgot-password')
  assert.deepEqual(gone, [], 'take the route out of test/people/confirmation-rules.ts')
})

test('each route that asks does so after five minutes, and works after the confirmation; keys are not asked', async () => {
  const key = { authorization: `Bearer ${fixtures.admin.key}` }
  for (const [route, rules] of Object.entries(ASKS)) {
    const [method = ''] = route.split(' ')
    for (const [index, rule] of rules.entries()) {
      const name = `${route} (${index})`
      await setConfirmed(true)
      const action = await rule(fixtures)
      await setConfirmed(false)
      const asked = await send(method, action)
      if (route === 'POST /oauth/consent/:uid') {
        assert.deepEqual([asked.status, asked.headers.get('location')], [403, null], name)
        assert.match(asked.text, /Confirm that it is you/, name)
      } else assert.deepEqual([name, asked.status, asked.json?.code], [name, 403, 'confirmation_required'])
      await setConfirmed(true)
      const done = await send(method, action)
      assert.equal(done.status, action.status, `${name}: ${done.text}`)
      // What belongs to a session, or was done just now, is not for a key.
      if (/consent|passkeys|shares?\//.test(route)) continue
      await setConfirmed(false)
      const byKey = await send(method, await rule(fixtures), key)
      assert.equal(byKey.status, action.status, `${name}: ${byKey.text}`)
    }
  }
})

test('each screen that asks leads to the confirmation, which then sends its form once more, or opens it', async () => {
  const screens = Object.entries(ASKS).filter(
    ([route]) => !/ \/(?:admin|me|shares|spaces|space-templates)\b/.test(route),
  )
  assert.ok(screens.length > 20, `${screens.length}`)
  for (const [route, rules] of screens) {
    // Passkeys are asked for by script, and who confirms at the consent decides again (both in
    // confirmation.slow.test.ts).
    if (/passkeys\/options|POST \/oauth\/consent/.test(route)) continue
    for (const rule of rules) {
      await setConfirmed(true)
      const { path, fields, status } = await rule(fixtures)
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      await setConfirmed(false)
      const entries = Object.entries(fields ?? {}).flatMap(([name, values]) =>
        [values].flat().map((value) => [name, value as string] as const),
      )
      const referer = `${nobody.base}/spaces`
      const asked = await navigate(nobody, path, { cookie, referer }, fields && entries)
      const form = formsIn(asked.text).find(({ action }) => action === '/confirm')
      assert.ok(form, `${route}: ${asked.status}`)
      const typed = [...form.fields.filter(([name]) => name !== 'csrf'), ['confirmPassword', PASSWORD] as const]
      const confirmed = await navigate(nobody, '/confirm', { cookie }, typed)
      assert.equal(confirmed.status, fields ? 307 : 303, route)
      assert.equal(new URL(confirmed.location, nobody.base).pathname, new URL(path, nobody.base).pathname, route)
      const done = await navigate(nobody, confirmed.location, { cookie }, fields && typed)
      assert.equal(done.status, status, `${route}: ${done.text.slice(0, 500)}`)
    }
  }
})

test('no other route asks', async () => {
  await setConfirmed(false)
  const place = { slug: 'docs', marker: 'm' }
  for (const [name, rule] of Object.entries(ROUTE_RULES)) {
    const route = name.replace(/ \(.*\)$/, '')
    if (
      !DOES_NOT_ASK.has(route) ||
      /sign-(?:in|out)|\/me\/sessions|end-others|\/confirm|\/account\/password/.test(route)
    )
      continue
    const [method = '', url = ''] = route.split(' ')
    const values: Record<string, string> = { space: 'docs', slug: 'docs', path: 'page', n: '1', ...rule.params }
    const path = url.replace(/:(\w+)/g, (_, word) => values[word] ?? NOTHING).replace('*', values.path ?? '')
    const { query, headers, ...input } = rule.send?.(place) ?? {}
    const action = { path: query ? `${path}?${query}` : path, status: 0, ...input, ...(headers && { headers }) }
    const answer = await send(method, action as SensitiveAction)
    assert.notEqual(answer.json?.code, 'confirmation_required', name)
  }
})

test('adding members to a space that all can read, and a change of its name, do not ask', async () => {
  await setConfirmed(false)
  const { id } = await newPerson(fixtures.admin, 'Max')
  const member = { path: `/spaces/docs/members/${id}`, json: { role: 'editor' }, status: 201 }
  assertStatus(await send('PUT', member), 201)
  assertStatus(await send('PATCH', { path: '/spaces/docs', json: { name: 'All' }, status: 200 }), 200)
  assertStatus(await send('PATCH', { path: '/spaces/docs', json: { visibility: 'private' }, status: 200 }), 200)
  assertProblem(
    await send('PATCH', { path: '/spaces/docs', json: { visibility: 'org' }, status: 200 }),
    403,
    'confirmation_required',
  )
  assertStatus(await fixtures.admin.patch('/spaces/docs', { visibility: 'org' }), 200)
  const agent = { path: '/admin/principals', json: { name: 'Robot', kind: 'agent' }, status: 201 }
  assertStatus(await send('POST', agent), 201)
})

test('a person who signed in with a key confirms by that key, and another key does not', async () => {
  await setConfirmed(false)
  const { admin, nobody } = fixtures
  const person = await newPerson(admin, 'Kim', { role: 'admin' })
  const signedIn = await sendForm(nobody, '/sign-in', { key: person.key })
  const cookie = sessionCookieOf(assertStatus(signedIn, 303))
  await nodes.query(`update session set confirmed_at = now() - interval '1 hour' where principal_id = $1`, [person.id])
  const fields = { keyName: 'nightly', scope: 'read' }
  const asked = await navigate(nobody, '/account/keys', { cookie }, fields)
  assert.match(asked.text, /name="confirmKey"/)
  assert.match(asked.text, /name="keyName" value="nightly"/)
  const confirm = (confirmKey: string) =>
    sendForm(nobody, '/confirm', { ...fields, confirmUrl: '/account/keys', confirmKey }, { cookie })
  const { secret } = assertStatus(await admin.post('/me/api-keys', { name: 'k', scopes: ['admin'] }), 201).json
  for (const other of [secret, 'svc_wrong', ''])
    assert.match(
      assertStatus(await confirm(other), 400).text,
      /not the API key with which you signed in|not confirmed yet/,
    )
  const done = assertStatus(await confirm(person.key), 307)
  assert.equal(done.headers.get('location'), `${nobody.base}/account/keys`)
  assertStatus(await sendForm(nobody, '/account/keys', fields, { cookie }), 201)
})
