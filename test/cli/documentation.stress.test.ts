/** Runs the examples of docs/cli.md, in their order, in a space that has what they name. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Client, createClient } from '@recto/client/client.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { someBytes } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8')
const home = mkdtempSync(join(tmpdir(), 'recto-test-'))
const start = process.cwd()
let service: Service
let client: Client
before(async () => {
  service = await startService()
  client = createClient({ url: service.app.address, key: service.admin.key })
  process.chdir(home)
  await fill()
})
after(async () => {
  process.chdir(start)
  await service[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

const START = '# Start\n\ncolour, colour and colour\n\n## Steps\n\nOne.\n'
const ANY = { ifMatch: '*' } as const

/** What the examples take as given. */
async function fill(): Promise<void> {
  for (const slug of ['docs', 'copy', 'old']) await client.spaces.create(slug)
  await client.principals.create({ name: 'Ada Lovelace', kind: 'human', email: 'ada@example.org' })
  await client.principals.create({ name: 'Gina', kind: 'human', email: 'gina@example.org', guest: true })
  await client.groups.create({ name: 'Payroll' })
  for (let version = 1; version <= 5; version++) {
    await client.pages.put('docs', 'guide/start', `${START}${version}\n`, version > 1 ? ANY : {})
  }
  await client.pages.put('docs', 'templates/decision', '---\nvariables: [customer]\n---\n# For {{customer}}\n')
  await client.pages.put('docs', 'log', '# Log\n')
  await client.metadata.patch('docs', 'guide/start', { set: { status: 'review', due: '2026-03-01' } })
  await client.files.put('docs', 'log.gz', someBytes(100))
  await client.files.put('docs', 'img/plan.png', someBytes(100))
  mkdirSync('import/docs', { recursive: true })
  writeFileSync('import/docs/imported.md', '# Imported\n')
  for (const name of ['start.md', 'steps.md']) writeFileSync(name, 'Text.\n')
  writeFileSync('new.png', someBytes(200))
}

/** Examples that cannot run here, and why. */
const NOT_RUN: readonly (readonly [example: RegExp, reason: string])[] = [
  [/^(serve|backup|check-database|migrate-database)/, 'part of the service; test/cli/tools.test.ts'],
  [/^(login|logout|profiles --use)/, 'needs a person; test/cli/login.test.ts'],
  [/^mcp/, 'reads until its input ends; test/mcp'],
  [/(--watch|--follow)/, 'does not end; test/sync/state.stress.test.ts, test/cli/tools.test.ts'],
  [/^open docs\/guide\/start$/, 'opens a browser; the other example prints the URL'],
  [/^files migrate/, 'needs a bucket; test/files/s3.stress.test.ts'],
  [
    /^(cr .* 12|clone .*--change-request|push --change-request)/,
    'needs proposals; test/cli/change-requests.stress.test.ts',
  ],
  [/^webhooks (test|redeliver)/, 'sends to the internet; test/cli/manage.test.ts'],
]

/** Replaces what has another value here: versions, ids, and what exists already. */
async function adapted(example: string): Promise<string> {
  const replaced = example
    .replace('https://wiki.example.org', service.admin.base)
    .replace(/^put docs\/guide\/start start\.md$/, 'put docs/guide/new start.md')
    .replace(/^files put docs\/img\/plan\.png plan\.png$/, 'files put docs/img/new.png plan.png')
    .replace(/^spaces create docs/, 'spaces create docs-2')
    .replace(/> \/etc\/\S+|> ~\S+/, '> completion')
  if (/^(put|rm) .*--version/.test(replaced)) {
    const { version } = await client.pages.get('docs', 'guide/start')
    return replaced.replace(/--version \d+/, `--version ${version}`)
  }
  if (/^files (put|rm) .*--version/.test(replaced)) {
    const { version } = await client.files.get('docs', 'img/plan.png')
    return replaced.replace(/--version \d+/, `--version ${version}`)
  }
  return /0196f3f/.test(replaced) ? withIds(replaced) : replaced
}

let names = 0

async function withIds(example: string): Promise<string> {
  const principal = await client.principals.create({
    name: `Person ${names++}`,
    kind: 'human',
    email: `person-${names}@example.org`,
  })
  const group = await client.groups.create({ name: `Group ${names++}` })
  let [first, second] = [principal.id, principal.id]
  if (/^keys revoke/.test(example)) {
    first = (await client.keys.create({ name: 'k', scopes: ['read'], principal: (await client.me.get()).id })).apiKey.id
  } else if (/^invitations/.test(example)) {
    first = (await client.invitations.create({ email: `p${names++}@example.org` })).invitation.id
  } else if (/^jobs/.test(example)) first = await newJob()
  else if (/^(groups|spaces \S+-group)/.test(example)) first = group.id
  else if (/^comments/.test(example)) {
    const { id, comments } = await client.threads.create('docs', 'guide/start', { body: 'Words' })
    first = /^comments rm/.test(example) ? (comments[0]?.id ?? '') : id
  } else if (/^webhooks/.test(example)) {
    const webhook = { url: 'https://hooks.example.org/x', events: ['page.created'] } as const
    first = (await client.webhooks.create(webhook)).webhook.id
  }
  if (/^groups remove-member/.test(example)) await client.groups.members.add(first, second)
  if (/^spaces remove-member/.test(example)) await client.spaces.members.set('docs', first, 'viewer')
  if (/^spaces remove-group/.test(example)) await client.spaces.groups.set('docs', first, 'viewer')
  return example.replace(/0196f3f0-\.\.\./, first).replace(/0196f3f1-\.\.\./, second)
}

/** A download that its screen knows is a job. */
async function newJob(): Promise<string> {
  const id = uuid7()
  await service.admin.get(`/export/docs/download?format=json&job=${id}`)
  return id
}

/** What has to be there just before an example. */
const PREPARED: Readonly<Record<string, () => Promise<unknown> | unknown>> = {
  'edit docs/guide/start --replace colour --with color --count 3': () =>
    client.pages.put('docs', 'guide/start', START, ANY),
  'edit docs/guide/start --replace-section Steps --with @steps.md': () =>
    client.pages.put('docs', 'guide/start', START, ANY),
  'comments add docs/guide/start "Which one?" --quote "colour and colour"': () =>
    client.pages.put('docs', 'guide/start', START, ANY),
  'rm docs/guide/start --version 4': () => client.folders.move('docs', { path: 'handbook', to: { path: 'guide' } }),
  'resolve guide/start.md --keep theirs': () =>
    writeFileSync('docs/guide/start.md', '<<<<<<< yours\na\n=======\nb\n>>>>>>> version 2\n'),
  'files mv docs/plan.png docs/img/plan.png': async () => {
    await client.files.delete('docs', 'img/plan.png')
    await client.files.put('docs', 'plan.png', someBytes(100))
  },
  'import docs.zip --space copy --on-conflict skip --dry-run': () =>
    runCommand(['export', 'docs.zip', '--space', 'docs'], environment()),
  'import ./wiki --space wiki --restrictions pages.json --dry-run': () => {
    mkdirSync('wiki')
    writeFileSync('wiki/Home.md', '# Home\n')
    const restriction = { restrictions: { user: { results: [] }, group: { results: [] } } }
    const restrictions = { read: restriction, update: restriction }
    writeFileSync('pages.json', JSON.stringify({ results: [{ id: '1', title: 'Home', ancestors: [], restrictions }] }))
  },
  'export docs.zip --space docs --history': () => rmSync('docs.zip'),
}

const environment = () => ({
  RECTO_URL: service.admin.base,
  RECTO_API_KEY: service.admin.key ?? '',
  EDITOR: 'true',
  HOME: home,
})

/** The words of a line of the shell, and the file that gets the output. */
function parsedLine(line: string): { readonly words: readonly string[]; readonly output?: string } {
  const [command = '', output] = line.split(/ > /)
  const words = Array.from(command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), (found) => found.slice(1).join(''))
  return { words, ...(output && { output }) }
}

/** The examples of the reference. */
function examplesOf(document: string): string[] {
  const blocks = document.slice(document.indexOf('<!-- From here on')).matchAll(/^```sh\n(.*?)^```$/gms)
  return Array.from(blocks, ([, block]) => block ?? '')
    .flatMap((block) => block.trimEnd().split('\n'))
    .map((line) => line.replace(/ {3}# .*$/, '').replace(/^recto /, ''))
}

/** The folder where an example runs. */
function folderOf(example: string): string {
  if (/^(pull|push|sync|status|diff|resolve)/.test(example)) return join(home, 'docs')
  return example.startsWith('import ./docs') ? join(home, 'import') : home
}

test('the examples of docs/cli.md run', async () => {
  const examples = examplesOf(DOCUMENT)
  assert.ok(examples.length > 100)
  const failed: string[] = []
  for (const example of examples) {
    if (NOT_RUN.some(([pattern]) => pattern.test(example))) continue
    await PREPARED[example]?.()
    const { words, output } = parsedLine(await adapted(example))
    process.chdir(folderOf(example))
    const { code, out, err } = await runCommand(words, environment(), 'text')
    process.chdir(home)
    if (output) writeFileSync(output, out)
    if (code !== 0) failed.push(`${example} [${words.join(' ')}]: ${code} ${out}${err}`)
  }
  assert.deepEqual(failed, [])
})
