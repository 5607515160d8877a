import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runLine } from '@recto/cli/recto.ts'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { recordingTerminal } from '../support/terminal.ts'

const PASSWORD = 'quartz lantern vivid moss'

let service: Service
let nobody: Client
before(async () => {
  service = await startService()
  nobody = service.nobody
})
after(() => service[Symbol.asyncDispose]())

/** Somebody in a browser. */
function person(cookie: string) {
  const headers = { cookie, 'x-csrf-token': deriveCsrfToken(cookie.split('=')[1] ?? '') }
  return {
    send: (method: string, path: string, { match, ...more }: { json?: unknown; body?: string; match?: string } = {}) =>
      nobody.call(method, path, {
        ...more,
        headers: {
          ...headers,
          ...(more.body && { 'content-type': 'text/markdown' }),
          ...(match && { 'if-match': match }),
        },
      }),
    form: (path: string, fields: Record<string, string> = {}) => sendForm(nobody, path, fields, { cookie }),
    open: (path: string) => nobody.get(path, { cookie, accept: 'text/html' }),
    home: async () => (await nobody.get('/', { cookie, accept: 'text/html' })).text,
    /** The titles of the steps on the start screen. */
    async steps(): Promise<string[]> {
      const [, list = ''] = /<ul[^>]*aria-label="Next steps">(.*?)<\/ul>/s.exec(await this.home()) ?? []
      return [...list.matchAll(/<div class="name">(?:<a [^>]*>)?([^<]*)/g)].map(([, title = '']) => title)
    },
  }
}

async function joined(email: string, spaces: unknown[] = []) {
  const { url } = assertStatus(await service.admin.post('/admin/invitations', { email, spaces }), 201).json
  const answer = await sendForm(nobody, new URL(url).pathname, { name: email, password: PASSWORD })
  return { location: assertStatus(answer, 303).headers.get('location'), ...person(sessionCookieOf(answer)) }
}

test('the first admin is offered a space, a page, an invitation, an assistant and an import, each until it is done', async () => {
  const setup = new URL(service.app.setupUrl ?? '').pathname
  const opened = assertStatus(await nobody.get(setup), 200).text
  const account = { name: 'Dora', email: 'dora@example.org', password: PASSWORD }
  const answer = assertStatus(await sendForm(nobody, setup, account), 303)
  const dora = person(sessionCookieOf(answer))
  assert.ok(!`${opened}${await dora.home()}`.includes('svc_'))
  assert.deepEqual(await dora.steps(), [
    'Create your first space',
    'Write your first page',
    'Invite a colleague',
    'Connect an assistant',
    'Import pages',
  ])
  for (const [, href = ''] of (await dora.home()).matchAll(/<div class="name"><a href="([^"]*)"/g)) {
    assertStatus(await dora.open(href), 200)
  }

  assertStatus(await dora.form('/gallery/builtin/team-handbook', { slug: 'docs', name: 'Docs' }), 303)
  assert.ok(!(await dora.steps()).includes('Create your first space'))

  // The pages of a template count as written; those of others do not.
  const eva = await joined('eva@example.org')
  assert.ok((await eva.steps()).includes('Write your first page'))
  assertStatus(await eva.send('PUT', '/pages/personal/first', { body: '# Mine' }), 201)
  assert.ok(!(await eva.steps()).includes('Write your first page'))
  assertStatus(await eva.send('DELETE', '/pages/personal/first', { match: '*' }), 204)
  // It stays done when its traces are gone.
  assert.ok(!(await eva.steps()).includes('Write your first page'))

  assertStatus(await dora.form('/manage/invitations', { email: 'gil@example.org' }), 201)
  assert.ok(!(await dora.steps()).includes('Invite a colleague'))
  const key = { keyName: 'assistant', scope: 'read', days: '30' }
  assertStatus(await dora.form('/connect/keys', key), 201)
  assert.ok(!(await dora.steps()).includes('Connect an assistant'))
  const bundle = await service.admin.get('/spaces/docs/export')
  const space = { slug: 'copy', name: 'Copy' }
  assertStatus(await service.admin.post('/spaces', space), 201)
  assertStatus(await dora.send('POST', '/spaces/copy/import', { json: bundle.json }), 200)
  assert.deepEqual(await dora.steps(), [])
})

test('a step is dismissed by one person for this person, and comes back for nobody', async () => {
  const [ann, ben] = [await joined('ann@example.org'), await joined('ben@example.org')]
  const all = ['Write your first page', 'Connect an assistant', 'Import pages']
  assert.deepEqual(await ann.steps(), all)
  assertStatus(await ann.form('/steps/assistant/dismiss'), 303)
  assert.deepEqual(await ann.steps(), ['Write your first page', 'Import pages'])
  assert.deepEqual(await ben.steps(), all)
  assertStatus(await ann.form('/steps/all/dismiss'), 303)
  assert.deepEqual(await ann.steps(), [])
  assertProblem(await ann.form('/steps/other/dismiss'), 404, 'not_found')
})

test('an import with the command line completes the step, and a dry run does not', async () => {
  const kit = await joined('kit@example.org')
  const json = { name: 'key', scopes: ['write'] }
  const { secret } = assertStatus(await kit.send('POST', '/me/api-keys', { json }), 201).json
  const folder = mkdtempSync(join(tmpdir(), 'recto-test-'))
  try {
    writeFileSync(join(folder, 'note.md'), '# Note')
    const load = async (...more: string[]) => {
      const terminal = recordingTerminal({ RECTO_URL: service.app.address, RECTO_API_KEY: secret })
      assert.equal(await runLine(['import', folder, '--space', 'personal', ...more], terminal), 0)
      return (await kit.steps()).includes('Import pages')
    }
    assert.equal(await load('--dry-run'), true)
    assert.equal(await load(), false)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a member lands where there is something to read, and has a space to write in', async () => {
  assertStatus(await service.admin.post('/spaces', { slug: 'team', name: 'Team', visibility: 'private' }), 201)
  assertStatus(await service.admin.put('/pages/team/start', '# Start here'), 201)
  const kim = await joined('kim@example.org', [{ space: 'team', role: 'viewer' }])
  assert.equal(kim.location, '/open/team')
  assert.match((await kim.send('GET', '/browse/team')).text, /Start here/)
  assert.match(await kim.home(), /Start here/)
  assertStatus(await kim.send('PUT', '/pages/personal/notes', { body: '# Notes' }), 201)
})
