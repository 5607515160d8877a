import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeZip } from '@recto/lib/zip/zip-writer.ts'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { USER_SCHEMA } from '../support/scim.ts'
import { type Service, startService } from '../support/service.ts'
import { type Ran, runCommand } from '../support/terminal.ts'
import { formsIn, openWebSession, type WebSession } from '../support/web-session.ts'
import { syncFolder } from '../sync/folder.ts'

let service: Service
let admin: Client
let session: WebSession
let environment: Readonly<Record<string, string>>
before(async () => {
  service = await startService({ SVC_RATE_LIMIT: '0' })
  admin = service.admin
  session = await openWebSession(admin.base, admin.key ?? '')
  environment = { RECTO_URL: admin.base, RECTO_API_KEY: admin.key ?? '' }
})
after(() => service[Symbol.asyncDispose]())

/** Numbers as they are written, with the reason why a double would be another one; undefined if it is the same. */
const LITERALS: readonly (readonly [literal: string, reason: RegExp | undefined])[] = [
  ['1546130668394913822', /2\^53/],
  ['9007199254740993', /2\^53/],
  ['1e400', /too large/],
  ['1e-400', /too small/],
  ['-0', undefined],
  ['0.1e1', undefined],
  ['1E5', undefined],
]

/** What a door answers: empty if it accepts, else why not. */
type Refusal = Promise<string>

interface Door {
  readonly name: string
  /** Where it has no type for a number, or none that was asked for, the digits are kept as text. */
  readonly asText?: true
  /** The page does not exist before. */
  readonly creates?: true
  send(space: string, path: string, literal: string): Refusal
}

// JSON as it is written: JSON.stringify would change the numbers.
const JSON_TYPE = { 'content-type': 'application/json' }
const send = async (method: string, path: string, body: string, headers = JSON_TYPE): Refusal =>
  refusal(await admin.call(method, path, { body, headers }))

const refusal = ({ status, text }: Answer) => (status < 300 ? '' : text)

async function tool(name: string, args: string): Refusal {
  const headers = { ...JSON_TYPE, accept: 'application/json, text/event-stream' }
  return refusalOfTool((await admin.call('POST', '/mcp', { body: message(name, args), headers })).text)
}

const message = (name: string, args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`

function refusalOfTool(text: string): string {
  const { result, error } = JSON.parse(text)
  return result && !result.isError ? '' : (error?.message ?? result.content[0].text)
}

async function command(words: readonly string[], input = ''): Refusal {
  return refusalOfRun(await runCommand(words, environment, input))
}

const refusalOfRun = ({ code, out, err }: Ran) => (code === 0 ? '' : out + err)

async function form(space: string, path: string, fields: Readonly<Record<string, string>>): Refusal {
  const action = `/metadata/${space}/${path}`
  const shown = formsIn((await session.get(action)).text).find((each) => each.action === action)
  const csrf = shown?.fields.filter(([name]) => name === 'csrf') ?? []
  const { status, text } = await session.send({ action, fields: [...csrf, ...Object.entries(fields)] })
  return status === 303 ? '' : text
}

async function upload(space: string, files: Readonly<Record<string, string>>, query = ''): Refusal {
  async function* content() {
    for (const [name, text] of Object.entries(files)) yield { name, modified: new Date(0), content: Buffer.from(text) }
  }
  const chunks: Buffer[] = []
  for await (const chunk of writeZip(content())) chunks.push(chunk)
  const body = Uint8Array.from(Buffer.concat(chunks))
  const headers = { 'content-type': 'application/zip' }
  return refusal(await admin.call('POST', `/spaces/${space}/import?onConflict=overwrite${query}`, { body, headers }))
}

const bundle = (path: string, id: string) =>
  `{"format":"page-bundle","formatVersion":1,"pages":[{"path":"${path}","body":"x","metadata":{"id":${id}}}]}`
const MANIFEST = { 'page-bundle.json': '{"format":"page-bundle","formatVersion":1}' }
const frontMatter = (id: string) => `---\nid: ${id}\n---\nx\n`

async function push(space: string, where: string, name: string, literal: string): Refusal {
  using folder = syncFolder(service)
  assert.equal((await folder.clone(space, '--metadata', where)).code, 0)
  const text = folder.read(name)
  const changed = text.replace(/("?id"?: )7\b/, `$1${literal}`)
  assert.notEqual(changed, text, `${name} has no id`)
  folder.write(name, changed)
  return refusalOfRun(await folder.run('push'))
}

/** Imports a folder that has one file. */
async function importFolder(space: string, path: string, text: string): Refusal {
  using folder = syncFolder(service)
  folder.write(`${path}.md`, text)
  return await command(['import', folder.path, '--space', space, '--metadata', 'front-matter'])
}

async function importFile(space: string, text: string): Refusal {
  using folder = syncFolder(service)
  folder.write('bundle.json', text)
  return await command(['import', `${folder.path}/bundle.json`, '--space', space, '--on-conflict', 'overwrite'])
}

const at = (space: string, path: string) => `"space":"${space}","path":"${path}"`
const asText = (json: string) => JSON.stringify(json)
const MERGE = { 'content-type': 'application/merge-patch+json' }
const metadata = (space: string, path: string) => `/pages/${space}/${path}/metadata`

const DOORS: readonly Door[] = [
  {
    name: 'a patch that sets',
    send: (space, path, id) => send('PATCH', metadata(space, path), `{"set":{"id":${id}}}`),
  },
  {
    name: 'a patch that appends, deep in a value',
    send: (space, path, id) => send('PATCH', metadata(space, path), `{"append":{"list":[{"y":${id}}]}}`),
  },
  { name: 'a merge patch', send: (space, path, id) => send('PATCH', metadata(space, path), `{"id":${id}}`, MERGE) },
  {
    name: 'a batch of metadata',
    send: (space, path, id) => send('POST', '/metadata/batch', `{"pages":[{${at(space, path)}}],"set":{"id":${id}}}`),
  },
  {
    name: 'a new page',
    creates: true,
    send: (space, path, id) => send('PUT', `/pages/${space}/${path}`, `{"body":"x","metadata":{"id":${id}}}`),
  },
  {
    name: 'a batch of pages',
    creates: true,
    send: (space, path, id) =>
      send(
        'POST',
        '/pages/batch',
        `{"operations":[{"op":"put",${at(space, path)},"body":"x","metadata":{"id":${id}}}]}`,
      ),
  },
  {
    name: 'a JSON bundle',
    send: (space, path, id) => send('POST', `/spaces/${space}/import?onConflict=overwrite`, bundle(path, id)),
  },
  {
    name: 'a ZIP bundle',
    send: (space, path, id) =>
      upload(space, { ...MANIFEST, [`${path}.md`]: 'x', [`${path}.metadata.json`]: `{"id":${id}}` }),
  },
  {
    name: 'an archive with front matter',
    asText: true,
    creates: true,
    send: (space, path, id) => upload(space, { [`${path}.md`]: frontMatter(id) }, '&frontMatter=true'),
  },
  {
    name: 'a number on the screen',
    send: (space, path, id) => form(space, path, { act: 'save', newKey: 'new', newKind: 'number', newValue: id }),
  },
  {
    name: 'JSON on the screen',
    send: (space, path, id) => form(space, path, { act: 'save', newKey: 'new', newKind: 'json', newValue: `[${id}]` }),
  },
  {
    name: 'a list on the screen',
    asText: true,
    send: (space, path, id) => form(space, path, { act: 'save', newKey: 'new', newKind: 'list', newValue: id }),
  },
  {
    name: 'an element on the screen',
    asText: true,
    send: (space, path, id) => form(space, path, { act: 'append', key: 'list', value: id }),
  },
  {
    name: 'a tool',
    send: (space, path, id) => tool('context_patch_metadata', `{${at(space, path)},"set":{"id":${id}}}`),
  },
  {
    name: 'a tool whose object is sent as text',
    send: (space, path, id) => tool('context_patch_metadata', `{${at(space, path)},"set":${asText(`{"id":${id}}`)}}`),
  },
  {
    name: 'a tool over stdio',
    send: async (space, path, id) => {
      const line = `${message('context_patch_metadata', `{${at(space, path)},"set":{"id":${id}}}`)}\n`
      return refusalOfTool((await runCommand(['mcp'], environment, line)).out)
    },
  },
  {
    name: 'the command that sets',
    send: (space, path, id) => command(['meta', 'set', `${space}/${path}`, `id=${id}`]),
  },
  {
    name: 'the command that appends',
    send: (space, path, id) => command(['meta', 'append', `${space}/${path}`, `list=[${id}]`]),
  },
  {
    name: 'the command that creates a page',
    creates: true,
    send: (space, path, id) => command(['put', `${space}/${path}`, '--meta', `id=${id}`], 'x'),
  },
  { name: 'the command that imports a bundle', send: (space, path, id) => importFile(space, bundle(path, id)) },
  {
    name: 'the command that imports a folder',
    asText: true,
    creates: true,
    send: (space, path, id) => importFolder(space, path, frontMatter(id)),
  },
  {
    name: 'the metadata file of a folder',
    send: (space, _path, id) => push(space, 'file', '.recto/metadata.json', id),
  },
  { name: 'the front matter of a folder', send: (space, path, id) => push(space, 'front-matter', `${path}.md`, id) },
]

for (const [index, { name, send: sendTo, ...door }] of DOORS.entries()) {
  test(`${name}: a number is stored exactly, or refused with the reason and nothing is changed`, async () => {
    for (const [number, [literal, reason]] of LITERALS.entries()) {
      const space = `door-${index}-${number}`
      await admin.space(space)
      const url = `/pages/${space}/page`
      if (!door.creates) {
        assertStatus(await admin.put(url, 'x'), 201)
        assertStatus(await admin.patch(`${url}/metadata`, { set: { id: 7, list: [7] } }), 200)
      }
      const values = async () => (await admin.get(`${url}/metadata`)).json.metadata
      const before = await values()
      const refused = await sendTo(space, 'page', literal)
      const now = await values()
      if (reason && !door.asText) {
        assert.match(refused, reason, literal)
        assert.deepEqual(now, before, literal)
        continue
      }
      assert.equal(refused, '', literal)
      const [value] = Object.entries(now ?? {})
        .filter(([key, each]) => JSON.stringify(each) !== JSON.stringify(before?.[key]))
        .map(([, each]) => [each].flat().at(-1))
        .map((each) => (typeof each === 'object' && each && 'y' in each ? each.y : each))
      assert.ok(value === (reason ? literal : Number(literal)), `${literal} became ${JSON.stringify(now)}`)
    }
  })
}

test('front matter keeps the digits of such numbers, whoever writes the page', async () => {
  await admin.space('front')
  for (const [index, [literal, reason]] of LITERALS.entries()) {
    const body = frontMatter(literal)
    const writes = [
      (path: string) => send('PUT', `/pages/front/${path}`, body, { 'content-type': 'text/markdown' }),
      (path: string) => send('PUT', `/pages/front/${path}`, JSON.stringify({ body })),
      (path: string) => tool('context_write_page', `{${at('front', path)},"body":${asText(body)}}`),
      (path: string) => command(['put', `front/${path}`], body),
    ]
    for (const [door, write] of writes.entries()) {
      assert.equal(await write(`${index}-${door}`), '')
      const { frontmatter } = (await admin.page(`/pages/front/${index}-${door}`)).json
      assert.ok(frontmatter.id === (reason ? literal : Number(literal)), `${literal}: ${JSON.stringify(frontmatter)}`)
    }
  }
})

test('no filter finds the neighbour of a number: it finds exactly this one, or is refused with the reason', async () => {
  await admin.space('near')
  for (const [index, [literal, reason]] of LITERALS.entries()) {
    const path = `page-${index}`
    assertStatus(await admin.put(`/pages/near/${path}`, '# page'), 201)
    const nearest = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(literal)))
    assertStatus(await admin.patch(`/pages/near/${path}/metadata`, { set: { id: nearest, index } }), 200)
    const filters = `[{"key":"id","op":"eq","value":${literal}},{"key":"index","op":"eq","value":${index}}]`
    const query = encodeURIComponent(filters)
    const texts: Readonly<Record<string, () => Promise<string>>> = {
      query: async () => (await admin.get(`/search/metadata?filters=${query}`)).text,
      search: async () => (await admin.get(`/search?q=page&filters=${query}`)).text,
      batch: async () =>
        (
          await admin.call('POST', '/metadata/batch', {
            body: `{"filters":${filters},"set":{"x":1},"dryRun":true}`,
            headers: JSON_TYPE,
          })
        ).text,
      tool: async () => toolText('context_query_metadata', `{"filters":${filters}}`),
      'tool, as text': async () => toolText('context_query_metadata', `{"filters":${asText(filters)}}`),
      'tool that searches': async () => toolText('context_search', `{"query":"page","filters":${filters}}`),
      command: async () => commandText(['meta', 'query', `id=${literal}`, `index=${index}`]),
      'command with JSON': async () => commandText(['meta', 'query', '--filters', filters]),
    }
    for (const [name, read] of Object.entries(texts)) {
      const text = await read()
      if (reason) assert.match(text, reason, `${name}, ${literal}`)
      assert.equal(text.includes(path), reason === undefined, `${name}, ${literal}: ${text}`)
    }
  }
})

async function toolText(name: string, args: string): Promise<string> {
  const headers = { ...JSON_TYPE, accept: 'application/json, text/event-stream' }
  return (await admin.call('POST', '/mcp', { body: message(name, args), headers })).text
}

async function commandText(words: readonly string[]): Promise<string> {
  const { out, err } = await runCommand(words, environment)
  return out + err
}

test('bodies of SCIM and of webhooks with such a number are refused with the reason', async () => {
  const provider = service.as(assertStatus(await admin.post('/admin/scim/token'), 201).json.secret)
  for (const [index, [literal, reason]] of LITERALS.entries()) {
    const user = `{"schemas":["${USER_SCHEMA}"],"userName":"p${index}@example.org","x509":${literal}}`
    const answer = await provider.call('POST', '/scim/v2/Users', {
      body: user,
      headers: { 'content-type': 'application/scim+json' },
    })
    if (reason) {
      assertStatus(answer, 400)
      assert.match(answer.json.detail, reason)
    } else assertStatus(answer, 201)
    const hook = await send(
      'POST',
      '/admin/webhooks',
      `{"url":"https://example.org/","events":["page.created"],"x":${literal}}`,
    )
    assert.match(hook, reason ?? /"\/x"/)
  }
})
