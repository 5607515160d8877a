import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { png, putBytes } from '../support/files.ts'
import { inPerson } from '../support/in-person.ts'
import { newPerson } from '../support/people.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startProvisioning } from '../support/scim.ts'
import { type Service, startService } from '../support/service.ts'

/** A service with something of everything, and the addresses of all its screens. */
export interface Stage extends AsyncDisposable {
  readonly service: Service
  /** What the screen is called in tests, and its address. */
  readonly screens: ReadonlyMap<string, string>
  /** The screens that are error pages. */
  readonly errors: ReadonlySet<string>
}

export interface Texts {
  /** Put into every text that a screen shows. */
  readonly said: string
  /** The body of a page. */
  readonly body: string
  /** What the receiver of webhooks answers. */
  readonly answer: string
}

const PLAIN: Texts = {
  said: 'plain',
  body: '# A guide\n\n## One\n\nText with [a link](./other) and [none](./none).\n\n```js\nconst a = 1\n```\n\n| a | b |\n| - | -: |\n| 1 | 2 |\n\n## Two\n\n- [ ] a task\n\n### Three\n\n> [!NOTE]\n> A note.\n',
  answer: '{"ok":false}',
}

/** Makes the service, and fills it with texts. */
export async function startStage(texts: Texts = PLAIN): Promise<Stage> {
  await using starting = new AsyncDisposableStack()
  const receiver = starting.use(await startReceiver((response) => response.writeHead(500).end(texts.answer)))
  const service = starting.use(
    await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' }),
  )
  const ids = await fill(service, receiver, texts)
  const running = starting.move()
  return { service, ...screensOf(ids), [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function fill(service: Service, receiver: Receiver, { said, body }: Texts) {
  const { admin } = service
  const name = said.slice(0, 200)
  await admin.space('docs', { name, description: said })
  await admin.space('empty', { name })
  await startProvisioning(admin)
  const hook = { url: receiver.url, events: ['*'], description: said }
  const { webhook } = assertStatus(await admin.post('/admin/webhooks', hook), 201).json
  for (const path of ['guide/start', 'guide/other', 'gone', 'templates/note']) {
    const page = { body: path === 'templates/note' ? `# {{title}}\n\n${body}` : body, note: name }
    const answer = await admin.call('PUT', `/pages/docs/${path}`, { json: page })
    assertStatus(answer, 201)
  }
  const again = { body: `${body}\n\nMore.`, note: name }
  await admin.call('PUT', '/pages/docs/guide/start', { json: again, headers: { 'if-match': '*' } })
  const set = { [said.slice(0, 128)]: said, status: 'draft', due: '2030-01-31', list: [said, 1] }
  assertStatus(await admin.patch('/pages/docs/guide/start/metadata', { set }), 200)
  assertStatus(await admin.delete('/pages/docs/gone', { 'if-match': '*' }), 204)
  for (const path of ['guide/picture.png', 'guide/deleted.png']) {
    assertStatus(await putBytes(admin, `/files/docs/${path}`, png(640, 480)), 201)
  }
  assertStatus(await admin.delete('/files/docs/guide/deleted.png', { 'if-match': '*' }), 204)
  for (const at of ['docs', 'docs/guide/start']) assertStatus(await admin.call('PUT', `/me/favourites/${at}`), 204)
  const ann = await newPerson(admin, name)
  const agent = await newPerson(admin, `Agent ${name}`.slice(0, 200), { kind: 'agent' })
  await admin.call('PUT', `/spaces/docs/members/${ann.id}`, { json: { role: 'editor' } })
  await admin.call('PUT', `/spaces/docs/members/${agent.id}`, { json: { role: 'viewer' } })
  const group = assertStatus(await admin.post('/admin/groups', { name, description: said }), 201).json
  assertStatus(await admin.call('PUT', `/admin/groups/${group.id}/members/${ann.id}`), 201)
  assertStatus(await admin.call('PUT', `/spaces/docs/groups/${group.id}`, { json: { role: 'viewer' } }), 201)
  const rule = { read: [{ principal: ann.id }, { group: group.id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/docs/rules/guide', { json: rule }), 201)
  const person = await inPerson(admin.base, ann.key)
  assertStatus(await person.post('/shares/docs/guide/start', { withChildren: true }), 201)
  const shot = { space: 'docs', id: 'shot', title: name, description: said, category: name.slice(0, 100) }
  assertStatus(await admin.post('/space-templates/org', shot), 201)
  assertStatus(await admin.post(`/admin/webhooks/${webhook.id}/test`), 200)
  const deliveries = `/admin/webhooks/${webhook.id}/deliveries`
  await until(async () => (await admin.get(`${deliveries}?limit=1&status=failed`)).json.items.length > 0)
  const [delivery] = (await admin.get(`${deliveries}?status=failed`)).json.items
  const rebuild = (await admin.post('/links/rebuild')).json
  const ids = { webhook: webhook.id, delivery: delivery.id, ann: ann.id, group: group.id, rebuild: rebuild.id }
  return { ...ids, ...(await workTogether(service, { said, body })) }
}

/** What others do: comments, a change request, a request for access, an invitation; and a share link for everybody. */
async function workTogether({ admin }: Service, { said, body }: Omit<Texts, 'answer'>) {
  const name = said.slice(0, 200)
  const bea = await newPerson(admin, name)
  const eve = await newPerson(admin, name)
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${bea.id}`, { json: { role: 'editor' } }), 201)
  assertStatus(await admin.patch('/spaces/docs', { visibility: 'private' }), 200)
  assertStatus(await eve.client.post('/access-requests', { space: 'docs', note: name }), 202)
  assertStatus(await admin.put('/pages/docs/note', body), 201)
  const thread = assertStatus(await bea.client.post('/threads/docs/note', { body: said }), 201).json
  const request = assertStatus(await bea.client.post('/spaces/docs/change-requests', { title: name }), 201).json
  const draft = { json: { body: `${body}\n\nMore.` }, headers: { 'if-match': '*' } }
  assertStatus(await bea.client.call('PUT', `/pages/docs/note?changeRequest=${request.number}`, draft), 202)
  assertStatus(await admin.post('/admin/invitations', { email: 'zzkim@example.org', role: 'member' }), 201)
  const person = await inPerson(admin.base, admin.key ?? '')
  const { url } = assertStatus(await person.post('/shares/docs/note', {}), 201).json
  return { bea: bea.id, thread: thread.id, request: request.number, share: new URL(url).pathname }
}

function screensOf(ids: Awaited<ReturnType<typeof fill>>) {
  const screens = new Map([
    ['home', '/'],
    ['all spaces', '/all-spaces'],
    ['a space', '/browse/docs'],
    ['a part of a space', '/browse/docs?prefix=guide/'],
    ['an empty space', '/browse/empty'],
    ['a page', '/pages/docs/guide/start'],
    ['an old revision', '/pages/docs/guide/start?version=1'],
    ['the editor', '/edit/docs/guide/start'],
    ['choosing a space for a page', '/new'],
    ['a new page', '/new/docs?path=guide/third'],
    ['moving a page', '/move/docs/guide/other'],
    ['deleting a page', '/delete/docs/guide/other'],
    ['the icon of a page', '/icon/docs/guide/start'],
    ['making a favourite', '/favourite/docs/guide/other'],
    ['favourites', '/favourites'],
    ['metadata', '/metadata/docs/guide/start'],
    ['links of a page', '/graph/docs/guide/start'],
    ['reports', '/reports/docs'],
    ['history', '/history/docs/guide/start'],
    ['a difference', '/history/docs/guide/start?from=1&to=2'],
    ['a view', '/views/docs'],
    ['all views', '/views'],
    ['finding', '/find?q=guide'],
    ['nothing found', '/find?q=zzzz'],
    ['a new space', '/new-space'],
    ['settings', '/settings/docs?q=a'],
    ['settings of the own space', '/settings/personal'],
    ['readers of a page', '/readers/docs/guide/start'],
    ['folder rules', '/settings/docs/rules'],
    ['a folder rule', '/settings/docs/rules/edit?folder=guide'],
    ['removing a folder rule', '/settings/docs/rules/remove?folder=guide'],
    ['share links of a page', '/share/docs/guide/start'],
    ['a preview of a share link', '/share-preview/docs/guide/start?children=yes'],
    ['share links of a space', '/settings/docs/shares'],
    ['inviting a guest to a folder', '/settings/docs/invitations?folder=guide'],
    ['deleting a space', '/settings/docs/delete'],
    ['trash', '/trash/docs'],
    ['an empty trash', '/trash/empty'],
    ['files', '/browse-files/docs'],
    ['no files', '/browse-files/empty'],
    ['a file', '/file/docs/guide/picture.png'],
    ['uploading files', '/upload/docs'],
    ['uploading files of a page', '/upload/docs?page=guide/start'],
    ['importing', '/import/docs'],
    ['exporting', '/export/docs'],
    ['deleted files', '/trash/docs/files'],
    ['deleting a page permanently', '/trash/docs/purge?path=gone'],
    ['gallery', '/gallery'],
    ['an empty gallery', '/gallery?source=remote'],
    ['a template', '/gallery/builtin/research-notes'],
    ['a template of the organisation', '/gallery/org/shot'],
    ['account', '/account'],
    ['connect an assistant', '/connect'],
    ['administration', '/manage'],
    ['spaces', '/manage/spaces'],
    ['people', '/manage/people'],
    ['a person', `/manage/people/${ids.ann}`],
    ['groups', '/manage/groups'],
    ['a group', `/manage/groups/${ids.group}?q=a`],
    ['SCIM', '/manage/scim'],
    ['keys', '/manage/keys?revoked=1'],
    ['webhooks', '/manage/webhooks'],
    ['a webhook', `/manage/webhooks/${ids.webhook}`],
    ['a delivery', `/manage/webhooks/${ids.webhook}/deliveries/${ids.delivery}`],
    ['audit log', '/manage/audit'],
    ['links', '/manage/links'],
    ['a rebuild', `/manage/links/${ids.rebuild}`],
    ['inbox', '/inbox'],
    ['your account after a mistake', '/account?done=nothing'],
    ['comments of a page', '/comments/docs/note'],
    ['a thread', `/thread/${ids.thread}`],
    ['to review', '/to-review'],
    ['to review in a space', '/to-review?space=docs'],
    ['a change request', `/to-review/docs/${ids.request}`],
    ['a page with a change request', `/pages/docs/note?changeRequest=${ids.request}`],
    ['a page with comments', '/pages/docs/note'],
    ['a shared page', ids.share],
    ['verifying a page', '/verify/docs/note'],
    ['watching a page', '/watch/docs/note'],
    ['watching a space', '/watch/docs'],
    ['a space as a favourite', '/favourite/docs'],
    ['who wrote what', '/history/docs/guide/start?blame=2'],
    ['moving a folder', '/move-folder/docs/guide'],
    ['deleting a folder', '/delete-folder/docs/guide'],
    ['reviews of a space', '/settings/docs/review'],
    ['requests for access', '/settings/docs/requests'],
    ['invitations into a space', '/settings/docs/invitations'],
    ['invitations', '/manage/invitations'],
    ['jobs', '/manage/jobs'],
    ['somebody', `/people/${ids.bea}`],
    ['confirming', '/confirm?next=/account'],
    ['confirmed', '/confirm/done'],
    ['a new password', '/forgot-password'],
    ['an invitation that is over', '/invitation/none'],
    ['a link that is over', '/link/none'],
    ['the own pages', '/browse/personal'],
    ['suggesting a change', '/edit/docs/note?changeRequest=new&title=A+suggestion'],
    ['sign-in', '/sign-in'],
    ['API reference', '/docs'],
    ['an operation of the API', '/docs/pages.put'],
    ['offline', '/offline'],
    ['a missing page', '/pages/docs/nowhere/at-all'],
    ['a missing address', '/nowhere'],
    ['a deleted page', '/pages/docs/gone'],
    ['a bad request', '/manage/audit?since=never'],
  ])
  const errors = new Set([
    'a missing page',
    'a missing address',
    'a deleted page',
    'a bad request',
    'an invitation that is over',
    'a link that is over',
  ])
  return { screens, errors }
}
