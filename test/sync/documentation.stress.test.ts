/**
 * Runs the snippets of docs/sync.md: the commands in a shell, and the steps of the workflows in checkouts of a git
 * repository.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { joinPageFile } from '@recto/cli/folder-sync/page-file.ts'
import { parse } from 'yaml'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { RECTO } from '../support/terminal.ts'

const execute = promisify(execFile)
const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/sync.md'), 'utf8')
const home = mkdtempSync(join(tmpdir(), 'recto-test-'))
let service: Service

before(async () => {
  service = await startService()
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const recto = `#!/bin/sh\nexec '${process.execPath}' '${RECTO}' "$@"\n`
  // In place of the prose linter, a search for one word.
  const npx = '#!/bin/sh\nif test "$1" = recto; then shift; exec recto "$@"; fi\nshift; ! grep -n utilise "$@"\n'
  for (const [name, text] of Object.entries({ recto, npx })) {
    writeFileSync(join(bin, name), text)
    chmodSync(join(bin, name), 0o755)
  }
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

/** The blocks of a language. */
function blocksOf(language: string): string[] {
  const found = DOCUMENT.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))
  return Array.from(found, ([, block]) => block ?? '')
}

/** Runs a script as GitHub does, with the service of this test in place of the one of the document. */
async function shell(script: string, folder: string): Promise<string> {
  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: home,
    RECTO_URL: service.admin.base,
    RECTO_API_KEY: service.admin.key,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'team/docs',
    GITHUB_RUN_ID: '7',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  }
  const options = { cwd: folder, env }
  const { stdout, stderr } = await execute('bash', ['-e', '-o', 'pipefail', '-c', script], options)
  return stdout + stderr
}

async function put(path: string, text: string, condition: Readonly<Record<string, string>> = {}) {
  assert.ok((await service.admin.put(`/pages/${path}`, text, condition)).status < 300)
}

const body = async (path: string) => assertStatus(await service.admin.page(`/pages/${path}`), 200).json.body

interface Workflow {
  readonly name: string
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly 'runs-on': string
        readonly env: Readonly<Record<string, string>>
        readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
      }
    >
  >
}

/** The commands of a workflow, in their order. */
function commandsOf({ on, permissions, jobs, name }: Workflow): string[] {
  assert.ok(name && on && permissions)
  return Object.values(jobs).flatMap((job) => {
    assert.equal(job['runs-on'], 'ubuntu-latest')
    assert.deepEqual(Object.keys(job.env), ['RECTO_URL', 'RECTO_API_KEY'])
    assert.deepEqual(
      job.steps.slice(0, 2).map(({ uses }) => uses?.split('@')[0]),
      ['actions/checkout', 'actions/setup-node'],
    )
    return job.steps.flatMap(({ run }) => run ?? [])
  })
}

test('the commands of docs/sync.md clone a space and carry changes over', async () => {
  await service.admin.space('docs')
  await put('docs/start', '# Start\n')
  const [block = ''] = blocksOf('sh')
  assert.match(block, /^export RECTO_URL=\S+ RECTO_API_KEY=\S+\n/)
  const commands = block.replace(/^export .*\n/, '').replaceAll('https://wiki.example.org', service.admin.base)
  const said = await shell(commands, home)
  assert.equal(readFileSync(join(home, 'docs/start.md'), 'utf8'), '# Start\n')
  assert.match(said, /The folder and the space are equal/)
  rmSync(join(home, 'docs'), { recursive: true })
})

test('the workflows publish what is merged, and take over what people have edited', async () => {
  const [publish, pull] = blocksOf('yaml').map((text) => parse(text) as Workflow)
  assert.ok(publish && pull)
  await service.admin.space('git')
  await put('git/a', 'one\n')
  await put('git/b', 'two\n')
  const checkout = join(home, 'checkout')
  await shell('git init -q --bare -b main origin.git && git clone -q origin.git checkout', home)
  await shell(
    'recto clone git docs && echo "*.md -text" > .gitattributes && git add . && git commit -qm Docs && git push -q',
    checkout,
  )
  assert.match(await shell('git ls-files', checkout), /^docs\/\.recto\/base\.json$/m)
  assert.doesNotMatch(await shell('git ls-files', checkout), /local/)

  writeFileSync(join(checkout, 'docs/a.md'), 'one, merged\n')
  await shell('git commit -qam "Edit a" && git push -q', checkout)
  await shell('rm -rf runner && git clone -q origin.git runner', home)
  const runner = join(home, 'runner')
  for (const command of commandsOf(publish)) await shell(command, runner)
  assert.equal(await body('git/a'), 'one, merged\n')
  assert.match(await shell('git log --format=%s -1 origin/main', runner), /^Publish docs \[skip ci\]/)

  await put('git/b', 'two, by people\n', { 'if-match': '*' })
  await until(async () => {
    await shell('rm -rf runner && git clone -q origin.git runner', home)
    for (const command of commandsOf(pull)) await shell(command, runner)
    return readFileSync(join(runner, 'docs/b.md'), 'utf8') === 'two, by people\n'
  }, 60_000)
  assert.match(await shell('git status --short', runner), /^ M docs\/\.recto\/base\.json\n M docs\/b\.md\n$/)
  assert.ok(!existsSync(join(runner, '.recto')))
})

test('a workflow checks the prose of change requests, whose merge needs it', async () => {
  const [, , check] = blocksOf('yaml').map((text) => parse(text) as Workflow)
  assert.ok(check)
  await put('docs/prose page', 'We utilise it.\n')
  const { client: writer } = await newPerson(service.admin, 'Writer')
  for (const text of ['We use it.\n', 'They utilise it.\n']) {
    const url = `/pages/docs/${encodeURIComponent('prose page')}?changeRequest=new&title=Prose`
    assertStatus(await writer.put(url, text, { 'if-match': '"1"' }), 202)
  }
  for (const command of commandsOf(check)) await shell(command, home)
  for (const [number, status] of [
    [1, 'passed'],
    [2, 'failed'],
  ] as const) {
    const { checks } = assertStatus(await service.admin.get(`/spaces/docs/change-requests/${number}`), 200).json
    const prose = checks.find(({ name }: { name: string }) => name === 'prose')
    assert.deepEqual([prose.status, prose.url], [status, 'https://github.example/team/docs/actions/runs/7'])
  }
})

test('the front matter in docs/sync.md is what a clone writes', () => {
  const metadata = { status: 'review', tags: ['howto'] }
  const text = joinPageFile({ body: '---\ntitle: Setup\n---\n', metadata })
  assert.ok(DOCUMENT.includes(`\`\`\`\n${text}\`\`\`\n`))
})
