import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifyWebhook } from '@recto/client/webhook.ts'
import { until } from '../support/embedded.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

let service: Service
before(async () => {
  service = await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
})
after(() => service[Symbol.asyncDispose]())

const run = (words: readonly string[], key = service.admin.key ?? '') =>
  runCommand(words, { RECTO_URL: service.app.address, RECTO_API_KEY: key })

async function done(...words: readonly string[]): Promise<string> {
  const { code, out, err } = await run(words)
  assert.equal(code, 0, `${words.join(' ')}: ${err}`)
  return out
}

const json = async (...words: readonly string[]) => JSON.parse(await done(...words, '--json'))

test('spaces are created, shown, updated, shared and deleted', async () => {
  assert.match(
    await done('spaces', 'create', 'docs', '--name', 'Docs', '--visibility', 'private'),
    /Created docs \(Docs\)/,
  )
  assert.equal((await run(['spaces', 'create', 'docs'])).code, 4)
  assert.match(await done('spaces', 'list'), /^SPACE +NAME .*\ndocs +Docs +private +admin/)
  assert.equal((await json('spaces', 'update', 'docs', '--description', 'All of it')).description, 'All of it')
  const answers = ['--shares', 'no', '--access-requests', 'no', '--public-metadata', 'no', '--proposals', 'editors']
  const { shares, accessRequests, publicMetadata, proposals } = await json('spaces', 'update', 'docs', ...answers)
  assert.deepEqual([shares, accessRequests, publicMetadata, proposals], [false, false, false, 'editors'])
  assert.equal((await json('spaces', 'update', 'docs', '--shares', 'yes', '--comments', 'off')).comments, 'off')
  assert.match(await done('spaces', 'show', 'docs'), /description +All of it/)
  const agent = await service.admin.post('/admin/principals', { name: 'Robot', kind: 'agent' })
  assert.match(await done('spaces', 'add-member', 'docs', agent.json.id, 'editor'), /Robot is now editor of docs/)
  assert.match(await done('spaces', 'members', 'docs'), /Robot +agent +editor/)
  await done('spaces', 'remove-member', 'docs', agent.json.id)
  const made = await json('spaces', 'create', 'handbook', '--template', 'builtin/team-handbook')
  assert.ok(made.pagesCreated > 0)
  assert.equal((await run(['spaces', 'delete', 'handbook'])).code, 4)
  await done('spaces', 'delete', 'handbook', '--force')
  assert.equal((await run(['spaces', 'show', 'handbook'])).code, 3)
})

test('the values of a metadata key are listed with their pages', async () => {
  await service.admin.space('valued')
  for (const [index, status] of ['done', 'done', 3].entries())
    await service.admin.call('PUT', `/pages/valued/p${index}`, { json: { body: '', metadata: { status } } })
  assert.match(await done('meta', 'values', 'status', '--space', 'valued'), /^VALUE +PAGES\n3 +1\n"done" +2\n/)
})

test('keys are created, used, listed and revoked', async () => {
  const made = await run(['keys', 'create', 'laptop', '--scope', 'write', '--space', 'docs'])
  assert.match(made.err, /not shown again/)
  const secret = made.out.trim()
  const me = await run(['whoami'], secret)
  assert.match(me.out, /scopes +read, propose, write\n/)
  assert.equal((await run(['keys', 'create', 'wider'], secret)).code, 2)
  const [key] = (await json('keys', 'list')).filter(({ name }: { name: string }) => name === 'laptop')
  assert.deepEqual(key.spaces, ['docs'])
  assert.match(await done('keys', 'revoke', key.id), /Revoked/)
  // Nodes may accept it for a second.
  await until(async () => (await run(['ls'], secret)).code === 2)
  const rejected = await run(['ls'], secret)
  assert.match(rejected.err, /not valid.*RECTO_API_KEY/)
  assert.match(await done('keys', 'list', '--everyone', '--revoked'), /laptop/)
})

test('webhooks are created, tested, rotated, listed, updated and deleted', async () => {
  await using receiver = await startReceiver((response, _request, count) =>
    response.writeHead(count === 1 ? 500 : 204).end(),
  )
  const made = await json('webhooks', 'create', receiver.url, '--event', 'page.created', '--space', 'docs')
  const { id } = made.webhook
  const failed = await run(['webhooks', 'test', id])
  assert.deepEqual([failed.code, failed.out.startsWith('Not delivered: 500')], [1, true])
  assert.match(await done('webhooks', 'test', id), /^Delivered: 204/)
  const { headers, body } = await receiver.nth(2)
  assert.equal(await verifyWebhook({ body, headers, secret: made.secret }), true)
  const failures = await json('webhooks', 'deliveries', id, '--status', 'failed')
  const listed = await done('webhooks', 'deliveries', id)
  assert.match(listed, /webhook\.test +succeeded +1 +204/)
  const again = await json(
    'webhooks',
    'redeliver',
    id,
    failures[0]?.id ?? (await json('webhooks', 'deliveries', id))[1].id,
  )
  assert.equal(again.event, 'webhook.test')
  assert.match(await done('webhooks', 'rotate', id, '--grace', '0'), /^whsec_/)
  const changed = await json('webhooks', 'update', id, '--disable', '--event', '*', '--space', '')
  assert.deepEqual([changed.enabled, changed.events, changed.spaceSlug], [false, ['*'], null])
  assert.match(await done('webhooks', 'list'), /all shared +disabled/)
  assert.match(await done('webhooks', 'show', id), new RegExp(`url +${receiver.url}`))
  assert.equal((await run(['webhooks', 'update', id])).code, 64)
  await done('webhooks', 'delete', id)
  assert.equal((await run(['webhooks', 'show', id])).code, 3)
  const rejected = await run(['webhooks', 'create', 'ftp://example.org'])
  assert.deepEqual([rejected.code, rejected.out], [2, ''])
})

test('people are invited, listed, changed and disabled', async () => {
  const invited = await run(['invite', 'gil@example.org', '--space', 'docs', '--space-role', 'viewer'])
  assert.match(invited.err, /Pass this link on/)
  assert.match(invited.out, /^http:\S+\/invitation\/inv_\w+\n$/)
  assert.match(await done('invitations', 'list'), /gil@example.org +member +docs \(viewer\) +Admin/)
  const [{ id }] = await json('invitations', 'list', '--space', 'docs')
  assert.notEqual(await done('invitations', 'resend', id), invited.out)
  await done('invitations', 'revoke', id, '--space', 'docs')
  assert.deepEqual(await json('invitations', 'list'), [])
  const wide = await json('invite', 'eva@example.org', '--role', 'admin', '--space', 'docs')
  assert.deepEqual(wide.invitation.spaces, [{ space: 'docs', role: 'editor' }])

  const person = await json('people', 'create', 'Kim', '--kind', 'human', '--email', 'Kim@example.org')
  assert.match(await done('people', 'list', '--name', 'kim'), /Kim +kim@example.org +human +member +enabled/)
  assert.equal((await json('people', 'update', person.id, '--role', 'admin')).role, 'admin')
  assert.match(await done('people', 'password-link', person.id), /^http:\S+\/link\/lnk_\w+\n$/)
  await done('people', 'disable', person.id)
  assert.equal((await json('people', 'show', person.id)).disabled, true)
  await done('people', 'enable', person.id)
  assert.equal((await run(['people', 'update', person.id])).code, 64)
})

test('SCIM is switched on, shown and switched off', async () => {
  const { code, out, err } = await run(['scim', 'enable'])
  assert.equal(code, 0)
  assert.match(out, /^scim_\w+\n$/)
  assert.match(err, /SCIM is on at http:\S+\/scim\/v2\./)
  assert.match(await done('scim', 'show'), /state +on\nurl +http:\S+\/scim\/v2\ntoken +scim_\w+…\nlastRequest +never\n/)
  assert.match(await done('scim', 'disable'), /SCIM is off/)
  assert.equal((await json('scim', 'show')).enabled, false)
})

test('groups are created, filled, given roles and deleted', async () => {
  const group = await json('groups', 'create', 'Writers', '--description', 'Who write')
  assert.match(await done('groups', 'update', group.id, '--name', 'Authors'), /Changed Authors/)
  const agent = await json('people', 'create', 'Scribe')
  assert.match(await done('groups', 'add-member', group.id, agent.id), /Scribe is in the group/)
  assert.match(await done('groups', 'members', group.id), /Scribe +agent +admin/)
  assert.match(await done('groups', 'list', '--member', agent.id), /Authors +1 +- +Who write/)
  await done('spaces', 'create', 'drafts')
  assert.match(
    await done('spaces', 'add-group', 'drafts', group.id, 'editor'),
    /Members of Authors are now editor of drafts/,
  )
  assert.match(await done('spaces', 'groups', 'drafts'), /Authors +editor/)
  assert.match(await done('groups', 'spaces', group.id), /drafts +drafts +editor/)
  const sent = await json('invite', 'kai@example.org', '--group', group.id)
  assert.deepEqual(sent.invitation.groups, [{ id: group.id, name: 'Authors' }])
  await done('groups', 'remove-member', group.id, agent.id)
  await done('spaces', 'remove-group', 'drafts', group.id)
  assert.equal((await json('groups', 'show', group.id)).memberCount, 0)
  assert.match(await done('groups', 'delete', group.id), /Deleted/)
  assert.equal((await run(['groups', 'show', group.id])).code, 3)
})

test('folder rules are checked, set by names, listed and removed', async () => {
  const { admin } = service
  const guest = { name: 'Gina Cli', email: 'gina.cli@example.org', kind: 'human', guest: true }
  const principals = [{ name: 'Ada Cli', kind: 'human' }, guest, { name: 'Zed', kind: 'human' }]
  const made = await Promise.all(principals.map((principal) => admin.post('/admin/principals', principal)))
  const [ada, gina] = made.map(({ json }) => json.id)
  const { id } = (await admin.post('/admin/groups', { name: 'Payroll' })).json
  await done('spaces', 'create', 'ruled', '--default-role', 'editor')
  const rule = ['--read', 'ada cli', '--read', 'group:payroll', '--write', `group:${id}`]
  const set = ['spaces', 'set-rule', 'ruled', 'hr/pay', ...rule, '--guest', 'gina.cli@example.org:editor']
  assert.match(
    await done(...set, '--dry-run'),
    /^Would set the rule of hr\/pay\.\n1 would gain reading, .*: Gina Cli\n/,
  )
  assert.deepEqual(await json('spaces', 'rules', 'ruled'), [])
  assert.match(await done(...set), /^Set the rule of hr\/pay\.\n1 gained reading.*\n\d+ lost reading: /)
  const stored = (await admin.get('/spaces/ruled/rules/hr%2Fpay')).json
  assert.deepEqual(
    [stored.read[0].principal.id, stored.read[1].group.id, stored.write[0].group.id, stored.guests[0].principal.id],
    [ada, id, id, gina],
  )
  assert.match(
    await done('spaces', 'rules', 'ruled'),
    /hr\/pay +Ada Cli, Payroll \(group\) +Payroll \(group\) +Gina Cli/,
  )
  for (const words of [
    ['--read', 'inherit'],
    ['--read', 'none', '--read', 'ada cli', '--write', 'inherit'],
  ]) {
    assert.equal((await run(['spaces', 'set-rule', 'ruled', 'hr', ...words])).code, 64)
  }
  assert.notEqual((await run(['spaces', 'set-rule', 'ruled', 'hr', '--read', 'nobody', '--write', 'inherit'])).code, 0)
  const none = await json('spaces', 'set-rule', 'ruled', 'hr/pay', '--read', 'none', '--write', 'inherit')
  assert.deepEqual([none.read, none.write, none.guests], [[], 'inherit', []])
  assert.match(await done('spaces', 'remove-rule', 'ruled', 'hr/pay', '--dry-run'), /^Would remove .*\n\d+ would gain/)
  assert.match(await done('spaces', 'remove-rule', 'ruled', 'hr/pay'), /^Removed the rule of hr\/pay\./)
  assert.equal((await run(['spaces', 'remove-rule', 'ruled', 'hr/pay'])).code, 3)
})

test('guests are made, listed and changed, and invited', async () => {
  const made = await json('principals', 'create', 'Guy Guest', '--guest')
  assert.deepEqual([made.kind, made.guest], ['human', true])
  assert.match(await done('principals', 'list', '--guest'), /Guy Guest .*guest/)
  assert.equal((await json('principals', 'update', made.id, '--guest', 'no')).guest, false)
  const invited = await json('invite', 'guy@example.org', '--guest', '--space', 'ruled')
  assert.equal(invited.invitation.guest, true)
  const folder = ['--guest', '--space', 'ruled', '--space-role', 'viewer', '--folder', 'clients/acme']
  const inFolder = await json('invite', 'gus@example.org', ...folder)
  assert.deepEqual(inFolder.invitation.spaces, [{ space: 'ruled', role: 'viewer', folder: 'clients/acme' }])
  assert.match(await done('invitations', 'list', '--space', 'ruled'), /ruled\/clients\/acme \(viewer\)/)
})
