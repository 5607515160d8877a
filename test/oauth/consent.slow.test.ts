import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { until } from '../support/embedded.ts'
import { authorizationRequest, consentForm, LOOPBACK, openBrowser, registerApp } from '../support/oauth.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let browser: Browser
let ada: Person
before(async () => {
  service = await startService()
  browser = await startBrowser()
  ada = await newPerson(service.admin, 'Ada')
})
after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
})

/** The consent screen for an app, as text and headers. */
async function screenFor(redirectUri: string, more: Readonly<Record<string, unknown>> = {}) {
  const id = await registerApp(service.nobody, { redirect_uris: [redirectUri], ...more })
  const { url } = authorizationRequest(service.admin.base, id, { redirect_uri: redirectUri })
  const person = await openBrowser(service.admin.base, ada.key)
  return { person, opened: await person.open(url) }
}

test('the consent screen names where the code goes, preselects proposals and no space, and says that the app may create spaces', async () => {
  const { opened, person } = await screenFor('https://app.example:8443/cb')
  assert.match(opened.text, /<dt>Sends access to<\/dt>\s*<dd><strong>app\.example:8443<\/strong>/)
  const checked = [...opened.text.matchAll(/name="(\w+)" value="(\w+)"[^>]* checked/g)]
  assert.deepEqual(
    checked.map(([, name, value]) => [name, value]),
    [
      ['scope', 'propose'],
      ['access', 'some'],
    ],
  )
  assert.match(opened.text, /may create spaces/)
  const form = consentForm(opened)
  const none = await person.send(form, { decision: 'allow', scope: 'read', access: 'some' })
  assert.deepEqual([none.status, none.leftTo], [400, undefined])
  assert.match(none.text, /Choose at least one space, or all of them/)
})

test('real assistants register with the redirect URIs that they use, and people see where these lead', async () => {
  for (const [uri, name] of [
    ['https://claude.ai/api/mcp/auth_callback', 'claude.ai'],
    ['https://claude.com/api/mcp/auth_callback', 'claude.com'],
    ['https://chatgpt.com/connector_platform_oauth_redirect', 'chatgpt.com'],
    ['https://chatgpt.com/connector/oauth/abc_DEF-1', 'chatgpt.com'],
    ['https://vscode.dev/redirect', 'vscode.dev'],
    ['https://insiders.vscode.dev/redirect', 'insiders.vscode.dev'],
    ['http://127.0.0.1:33418/', '127.0.0.1:33418'],
    ['http://localhost:53682/callback', 'localhost:53682'],
    ['http://[::1]:7777/callback', '[::1]:7777'],
    ['cursor://anysphere.cursor-retrieval/oauth/user-mcp/callback', 'cursor:'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor:'],
    ['vscode://vscode.github-authentication/did-authenticate', 'vscode:'],
    ['com.example.app:/oauth', 'com.example.app:'],
  ] as const) {
    const { opened } = await screenFor(uri)
    assert.equal(opened.status, 200, uri)
    assert.ok(opened.text.includes(name), uri)
  }
})

test('no other window has a hold on the consent screen, except that of an assistant that waits for it', async () => {
  const policy = async (uri: string) => (await screenFor(uri)).opened.headers.get('cross-origin-opener-policy')
  assert.equal(await policy(LOOPBACK), 'same-origin')
  assert.equal(await policy('https://evil.example/cb'), 'same-origin')
  assert.equal(await policy('https://chatgpt.com.evil.example/cb'), 'same-origin')
  assert.equal(await policy('https://chatgpt.com/connector_platform_oauth_redirect'), 'unsafe-none')
})

/** Whether a click at the place of the button connects the app. */
async function clickConnects(page: Page): Promise<boolean> {
  const box = await page.locator('button[value="allow"]').boundingBox()
  assert.ok(box)
  const sent = page
    .waitForRequest((request) => request.method() === 'POST', { timeout: 1_000 })
    .then(
      () => true,
      () => false,
    )
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  return sent
}

for (const [title, javaScriptEnabled] of [
  ['the button takes half a second each time its window comes to the front', true],
  ['the button takes half a second without script, too', false],
] as const) {
  test(title, async (t) => {
    const app = createServer((_, response) => response.end('back'))
    await new Promise<void>((done) => app.listen(0, '127.0.0.1', done))
    t.after(() => {
      app.closeAllConnections()
      app.close()
    })
    const callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback` // it listens on TCP
    const context = await browser.newContext({ javaScriptEnabled, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(`${service.admin.base}/sign-in`)
    await page.locator('summary').click()
    await page.locator('#key').fill(ada.key)
    await page.getByRole('button', { name: 'Sign in with the key' }).click()
    await page.waitForURL(`${service.admin.base}/`)
    const id = await registerApp(service.nobody, { redirect_uris: [callback] })
    // The half second lasts until the test goes on.
    const cdp = await context.newCDPSession(page)
    await cdp.send('Animation.enable')
    const setRate = (playbackRate: number) => cdp.send('Animation.setPlaybackRate', { playbackRate })
    await setRate(0)
    await page.goto(authorizationRequest(service.admin.base, id, { redirect_uri: callback }).url)
    assert.equal(await clickConnects(page), false)
    await setRate(1)
    const button = page.locator('button[value="allow"]')
    if (javaScriptEnabled) {
      const pointerEvents = () => button.evaluate((node) => getComputedStyle(node).pointerEvents)
      await until(async () => (await pointerEvents()) === 'auto')
      await setRate(0)
      const durations = await button.evaluate((node) => {
        dispatchEvent(new Event('focus'))
        return node.getAnimations().map((animation) => animation.effect?.getTiming().duration)
      })
      assert.deepEqual(durations, [500])
      assert.equal(await clickConnects(page), false)
      await setRate(1)
    }
    await page.getByText('All spaces that you can access').click()
    await button.click()
    await page.waitForURL((url) => url.href.startsWith(`${callback}?code=`))
    await context.close()
  })
}
