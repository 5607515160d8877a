/**
 * Takes the pictures of docs/guide.md: starts a service with a sample space and photographs its screens with Chromium.
 * `npm run guide:pictures`.
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBrowser } from '../test/support/browser.ts'
import { assertStatus } from '../test/support/client.ts'
import { newPerson } from '../test/support/people.ts'
import { type Service, startService } from '../test/support/service.ts'
import { signedIn } from '../test/support/signed-in.ts'

const FOLDER = join(import.meta.dirname, '../docs/pictures')
const MAX_BYTES = 150_000

interface Picture {
  readonly name: string
  readonly url: string
  /** What a person does on the screen before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<void>
  readonly height?: number
}

const PICTURES: readonly Picture[] = [
  { name: 'home', url: '/', height: 620 },
  { name: 'page', url: '/pages/handbook/meetings' },
  {
    name: 'search',
    url: '/pages/handbook/onboarding',
    height: 560,
    prepare: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Page, space, heading or command' }).fill('mee')
      await page.getByRole('option', { name: 'Meeting' }).first().waitFor()
    },
  },
  { name: 'editor', url: '/edit/handbook/time-off', prepare: (page) => page.locator('.page-text .prose').waitFor() },
  { name: 'history', url: '/history/handbook/meetings?from=1&to=2', height: 620 },
  { name: 'view', url: '/views/handbook?key=status&op=eq&value=adopted&by=review-by', height: 820 },
  { name: 'members', url: '/settings/handbook', height: 620 },
]

/** Two people and an agent who keep a handbook; returns the API key of the person who looks. */
async function fill({ admin }: Service): Promise<string> {
  const dora = await newPerson(admin, 'Dora Novak', { role: 'admin', scopes: ['admin'] })
  const ben = await newPerson(admin, 'Ben Osei')
  const bot = await newPerson(admin, 'Minutes bot', { kind: 'agent' })
  const template = '/space-templates/builtin'
  const spaces = [
    { id: 'engineering-docs', slug: 'engineering', name: 'Engineering', icon: '🛠️' },
    { id: 'research-notes', slug: 'research', name: 'Research notes', icon: '🔬' },
    { id: 'team-handbook', slug: 'handbook', name: 'Team handbook', icon: '📗' },
  ]
  for (const { id, slug, name, icon } of spaces) {
    assertStatus(await dora.client.post(`${template}/${id}/spaces`, { slug, name }), 201)
    assertStatus(await dora.client.patch(`/spaces/${slug}`, { icon }), 200)
  }
  assertStatus(await dora.client.call('PUT', '/me/favourites/handbook/meetings'), 204)
  for (const { id } of [ben, bot]) {
    const role = { json: { role: 'editor' } }
    assertStatus(await dora.client.call('PUT', `/spaces/handbook/members/${id}`, role), 201)
  }
  const url = '/pages/handbook/meetings'
  const { body } = assertStatus(await ben.client.get(url, { accept: 'application/json' }), 200).json
  const changed =
    `${String(body).replace('# Meetings', '# Meetings that end early')}\n## Ending early\n\nA meeting ` +
    `ends when its question is answered. Nobody fills the time that is left.\n`
  const note = 'Meetings may end early'
  const options = { json: { body: changed, note }, headers: { 'if-match': '*' } }
  assertStatus(await ben.client.call('PUT', url, options), 200)
  return dora.key
}

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  await using service = await startService()
  const key = await fill(service)
  await using browser = await startBrowser()
  const base = service.app.address
  await using context = await signedIn(browser, base, key, { viewport: { width: 1200, height: 760 } })
  const page = await context.newPage()
  for (const { name, url, prepare, height = 760 } of PICTURES) {
    await page.setViewportSize({ width: 1200, height })
    await page.goto(base + url, { waitUntil: 'networkidle' })
    await prepare?.(page)
    await page.waitForTimeout(300) // transitions
    const path = join(FOLDER, `${name}.png`)
    await page.screenshot({ path })
    const { size } = statSync(path)
    if (size > MAX_BYTES) throw new Error(`${name}.png has ${size} bytes; ${MAX_BYTES} are allowed`)
    process.stdout.write(`docs/pictures/${name}.png ${size}\n`)
  }
}

await main()
