import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { openSection, startBrowser } from '../support/browser.ts'
import { navigate, sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { authorizationRequest, consentForm, openBrowser, registerApp } from '../support/oauth.ts'
import { newPerson } from '../support/people.ts'

const PASSWORD = 'quartz lantern vivid moss'

let nodes: Nodes
let admin: Client
let nobody: Client
let ida: { readonly id: string; readonly cookie: string }
let number = 0
before(async () => {
  nodes = await startNodes({ SVC_TRUST_PROXY: '1' })
  admin = nodes.admins[0]
  nobody = nodes.as(0, undefined)
  ida = await newAdmin('Ida')
  assertStatus(await admin.post('/spaces', { slug: 'docs', name: 'Docs' }), 201)
})
after(() => nodes[Symbol.asyncDispose]())

/** An admin who chose a password by a link, and is signed in. */
async function newAdmin(name: string) {
  const email = `${name.toLowerCase()}-${++number}@example.org`
  const account = { name, kind: 'human', email, role: 'admin' }
  const { id } = assertStatus(await admin.post('/admin/principals', account), 201).json
  const { url } = assertStatus(await admin.post(`/admin/principals/${id}/password-link`), 201).json
  const answer = await sendForm(nobody, new URL(url).pathname, { password: PASSWORD })
  return { id: id as string, email, cookie: sessionCookieOf(assertStatus(answer, 303)) }
}

/** As if the last sign-in of the person was a while ago. */
async function forget(id: string): Promise<void> {
  const { rowCount } = await nodes.query(
    `update session set confirmed_at = now() - interval '301 seconds' where principal_id = $1`,
    [id],
  )
  assert.ok(rowCount !== null && rowCount > 0)
}

const unescaped = (text: string) => text.replaceAll('&amp;', '&')

interface Action {
  readonly method?: string
  readonly path: string
  readonly json?: unknown
  readonly status: number
}

/** Each with what it answers once the person has confirmed. */
async function actions(): Promise<Record<string, Action>> {
  const member = assertStatus(
    await admin.post('/admin/principals', { name: 'Max', kind: 'human', email: `max-${++number}@example.org` }),
    201,
  ).json
  const former = assertStatus(
    await admin.post('/admin/principals', { name: 'Old', kind: 'human', role: 'admin' }),
    201,
  ).json
  assertStatus(await admin.patch(`/admin/principals/${former.id}`, { disabled: true }), 200)
  const invitation = assertStatus(
    await admin.post('/admin/invitations', { email: `a-${++number}@example.org`, role: 'admin' }),
    201,
  ).json
  const principal = `/admin/principals/${member.id}`
  const key = { name: 'k', scopes: ['read'] }
  return {
    'an own key': { path: '/me/api-keys', json: key, status: 201 },
    'the key of another': { path: '/admin/api-keys', json: { ...key, principal: member.id }, status: 201 },
    'a link for a new password': { path: `${principal}/password-link`, status: 201 },
    'another e-mail address': {
      method: 'PATCH',
      path: principal,
      json: { email: `new-${number}@example.org` },
      status: 200,
    },
    'an admin by role': { method: 'PATCH', path: principal, json: { role: 'admin' }, status: 200 },
    'an admin enabled again': {
      method: 'PATCH',
      path: `/admin/principals/${former.id}`,
      json: { disabled: false },
      status: 200,
    },
    'a new admin': { path: '/admin/principals', json: { name: 'A', kind: 'agent', role: 'admin' }, status: 201 },
    'an invited admin': {
      path: '/admin/invitations',
      json: { email: `b-${++number}@example.org`, role: 'admin' },
      status: 201,
    },
    'the link of an invited admin': { path: `/admin/invitations/${invitation.invitation.id}/resend`, status: 200 },
    'an export': { method: 'GET', path: '/spaces/docs/export', status: 200 },
    'a first password': { path: '/account/password', json: { password: 'short' }, status: 400 },
    'a passkey': { path: '/account/passkeys/options', json: {}, status: 200 },
    'a passkey removed': { method: 'DELETE', path: '/me/passkeys/00000000-0000-7000-8000-000000000000', status: 404 },
  }
}

function send({ method = 'POST', path, json }: Action, cookie: string) {
  const headers = {
    cookie,
    'x-csrf-token': deriveCsrfToken(cookie.split('=')[1] ?? ''),
    'sec-fetch-site': 'same-origin',
  }
  return nobody.call(method, path, { headers, ...(json !== undefined && { json }) })
}

test('after five minutes a session confirms before keys, admins, sign-in methods and exports; keys need not', async () => {
  const { id, cookie } = await newAdmin('Eva')
  for (const [name, action] of Object.entries(await actions())) {
    // A password that is set is needed anyway, to change it.
    if (name === 'a first password') await nodes.query('delete from password where principal_id = $1', [id])
    await forget(id)
    assertProblem(await send(action, cookie), 403, 'confirmation_required')
    await nodes.query('update session set confirmed_at = now() where principal_id = $1', [id])
    const answer = await send(action, cookie)
    assert.equal(answer.status, action.status, `${name}: ${answer.text}`)
  }
  await forget(id)
  // Everything else goes on.
  assertStatus(await send({ path: '/spaces', json: { slug: 'eva', name: 'Eva' }, status: 201 }, cookie), 201)
  assertStatus(await admin.post('/me/api-keys', { name: 'k', scopes: ['read'] }), 201)
  assertStatus(await admin.get('/spaces/docs/export'), 200)
})

test('a form that needs a confirmation asks for the password, and is then sent again as it was', async () => {
  await forget(ida.id)
  const fields = { keyName: 'nightly', scope: 'read', 'scopes[]': 'x' }
  const asked = await navigate(nobody, '/account/keys', { cookie: ida.cookie }, fields)
  assert.equal(asked.status, 403)
  assert.match(asked.text, /<h1>Confirm that it is you<\/h1>/)
  for (const [name, value] of Object.entries(fields)) {
    assert.ok(asked.text.includes(`name="${name}" value="${value}"`), name)
  }
  const again = { ...fields, confirmUrl: '/account/keys', confirmNext: '/account' }
  const confirm = (more: Record<string, string>) =>
    sendForm(nobody, '/confirm', { ...again, ...more }, { cookie: ida.cookie })
  const wrong = assertStatus(await confirm({ confirmPassword: 'wrong' }), 400)
  assert.match(wrong.text, /This is not your password/)
  assert.ok(wrong.text.includes('name="keyName" value="nightly"') && !wrong.text.includes('value="wrong"'))
  // Without a password it confirms nothing.
  assert.match(assertStatus(await confirm({}), 400).text, /You have not confirmed yet/)
  const right = assertStatus(await confirm({ confirmPassword: PASSWORD }), 307)
  assert.equal(right.headers.get('location'), `${admin.base}/account/keys`)
  const [entry] = await admin.all(`/admin/audit?actor=${ida.id}&action=session.confirmed`)
  assert.equal(entry.target.type, 'session')
  assert.equal((await confirm({ confirmUrl: '//evil.example/' })).headers.get('location'), `${admin.base}/`)
})

test('after the confirmation the person is where they were going, with their choices; who cancels is where they were', async () => {
  const person = await newAdmin('Una')
  const { base } = nobody
  const headers = { cookie: person.cookie, referer: `${base}/settings/docs` }
  const open = (path: string) => navigate(nobody, path, headers)
  const confirm = async (page: string) => {
    const next = unescaped(/name="confirmNext" value="([^"]+)"/.exec(page)?.[1] ?? '')
    const fields = { confirmPassword: PASSWORD, confirmNext: next }
    const answer = await sendForm(nobody, '/confirm', fields, { cookie: person.cookie })
    const location = assertStatus(answer, 303).headers.get('location') ?? ''
    assert.equal(new URL(location, base).href, base + next)
    return (await open(next)).text
  }
  await forget(person.id)
  const asked = await open('/export/docs')
  assert.equal(asked.status, 403)
  assert.match(asked.text, /<a href="\/settings\/docs">Cancel<\/a>/)
  assert.match(await confirm(asked.text), /<h1>Export<\/h1>/)

  await forget(person.id)
  const download = await open('/export/docs/download?format=json&job=x')
  assert.equal(download.status, 303)
  const form = await confirm((await open(download.location)).text)
  assert.match(form, /<option value="json" selected>/)
  assert.doesNotMatch(form, /name="history" value="1" checked/)

  const browser = await openBrowser(base, (await newPerson(admin, 'Tim')).key)
  await nodes.query(`update session set confirmed_at = now() where true`)
  const app = await registerApp(nobody)
  const consent = await browser.open(authorizationRequest(base, app).url)
  await nodes.query(`update session set confirmed_at = now() - interval '1 hour' where true`)
  const choice = { decision: 'allow', scope: 'write', access: 'some', 'spaces[]': ['docs', 'personal'] }
  const late = await browser.send(consentForm(consent), choice)
  assert.deepEqual([late.status, late.leftTo], [403, undefined])
  const next = unescaped(/href="(\/oauth\/consent\/[^"]+)">Cancel/.exec(late.text)?.[1] ?? '')
  await nodes.query(`update session set confirmed_at = now() where true`)
  const { text } = await browser.open(next)
  const checked = [...text.matchAll(/name="([\w[\]]+)" value="(\w+)"[^>]* checked/g)].map(
    ([, name, value]) => `${name}=${value}`,
  )
  assert.deepEqual(checked, ['scope=write', 'access=some', 'spaces[]=personal', 'spaces[]=docs'])
})

test('guessing the password of a stolen session is limited, and another account does not confirm', async () => {
  const eve = await newAdmin('Eve')
  await forget(eve.id)
  const guess = (confirmPassword: string) =>
    sendForm(nobody, '/confirm', { confirmPassword }, { cookie: eve.cookie, 'x-forwarded-for': '192.0.2.77' })
  for (let count = 0; count < 10; count++) assertStatus(await guess('wrong guess'), 400)
  assertProblem(await guess(PASSWORD), 429, 'too_many_requests')
  assertProblem(
    await send({ path: '/me/api-keys', json: { name: 'k', scopes: ['read'] }, status: 201 }, eve.cookie),
    403,
    'confirmation_required',
  )
})

test('in a browser the action goes on after the password, without script, and after the passkey', async () => {
  const uma = await newAdmin('Uma')
  const browser: Browser = await startBrowser()
  try {
    const origin = new URL(nobody.base)
    origin.hostname = 'localhost'
    const [name = '', value = ''] = uma.cookie.split('=')
    const cookies = [{ name, value, url: origin.origin }]
    const plain = await browser.newContext({ javaScriptEnabled: false })
    await plain.addCookies(cookies)
    const page = await plain.newPage()
    await page.goto(`${origin.origin}/account#keys`)
    await forget(uma.id)
    await page.locator('#keyName').fill('nightly')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    assert.match(await page.locator('#secret').innerText(), /^svc_/)
    await plain.close()

    const context = await browser.newContext()
    await context.addCookies(cookies)
    const own = await context.newPage()
    const cdp = await context.newCDPSession(own)
    await cdp.send('WebAuthn.enable')
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await own.goto(`${origin.origin}/account#passkeys`)
    await own.getByRole('button', { name: 'Add a passkey' }).click()
    await own.getByText('The passkey was added.').waitFor()
    await forget(uma.id)
    await openSection(own, 'Your keys')
    await own.locator('#keyName').fill('weekly')
    await own.getByRole('button', { name: 'Create the key' }).click()
    await own.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await own.locator('#secret').waitFor()
    // So does the undo of a message, which gives a member access again.
    const { id } = await newPerson(admin, 'Max')
    assertStatus(await admin.post('/spaces', { slug: 'secret', name: 'Secret', visibility: 'private' }), 201)
    for (const member of [uma.id, id]) {
      const role = { role: member === id ? 'editor' : 'admin' }
      assertStatus(await admin.call('PUT', `/spaces/secret/members/${member}`, { json: role }), 201)
    }
    await own.goto(`${origin.origin}/settings/secret`)
    await forget(uma.id)
    await own.locator('summary', { hasText: 'Max' }).click()
    await own.getByRole('button', { name: 'Remove the member: Max' }).click()
    await own.getByRole('button', { name: 'Undo' }).click()
    await own.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await own.getByRole('status').getByText('Max is now an editor.').waitFor()
    const { items } = assertStatus(await admin.get('/spaces/secret/members'), 200).json
    const roles = items.map(({ principal, role }: { principal: { id: string }; role: string }) => [principal.id, role])
    assert.equal(new Map(roles).get(id), 'editor')
    // A script of the screen asks as well, and comes back.
    await own.goto(`${origin.origin}/account#passkeys`)
    await forget(uma.id)
    await own.getByRole('button', { name: 'Add a passkey' }).click()
    await own.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await own.waitForURL(`${origin.origin}/account`)
    const keys = await nodes.query('select name from api_key where principal_id = $1 order by id', [uma.id])
    assert.deepEqual(
      keys.rows.map((row) => row.name),
      ['nightly', 'weekly'],
    )
  } finally {
    await browser.close()
  }
})

test('a confirmation on one node counts on the other', async () => {
  await forget(ida.id)
  assertStatus(await sendForm(nobody, '/confirm', { confirmPassword: PASSWORD }, { cookie: ida.cookie }), 303)
  const headers = { cookie: ida.cookie, 'x-csrf-token': deriveCsrfToken(ida.cookie.split('=')[1] ?? '') }
  const key = { name: 'k', scopes: ['read'] }
  await until(
    async () => (await nodes.as(1, undefined).call('POST', '/me/api-keys', { json: key, headers })).status === 201,
  )
})
