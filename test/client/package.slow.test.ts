import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { ROOT } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'recto-package-'))
const modules = join(folder, 'node_modules')
let service: Service

before(async () => {
  service = await startService()
  await service.admin.space('docs')
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ROOT })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  await install(join(folder, filename))
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** By npm, from its cache where that has everything; without a registry, unpacked, with what the checkout has. */
async function install(tarball: string): Promise<void> {
  const quiet = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--fetch-retries=0']
  try {
    await run('npm', ['install', tarball, '--prefer-offline', ...quiet], { cwd: folder, timeout: 120_000 })
  } catch {
    await run('tar', ['-xzf', tarball], { cwd: folder })
    rmSync(modules, { recursive: true, force: true })
    // Node looks for modules where a link leads to, so the package itself must not be one.
    await run('mkdir', ['-p', join(modules, 'recto')])
    await run('cp', ['-r', `${folder}/package/.`, join(modules, 'recto')])
    symlinkSync(join(ROOT, 'node_modules'), join(modules, 'recto', 'node_modules'))
  }
}

/** The machine's own Node, 20 or later, before the one that npm brought. */
function plainNode(): string {
  const paths = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  const found = paths.map((path) => join(path, 'node')).find(isExecutable)
  return found ?? process.execPath
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const SCRIPT = `
import { createClient, ApiError, verifyWebhook } from 'recto/client'
const client = createClient({ url: process.env.RECTO_URL, key: process.env.RECTO_API_KEY })
await client.pages.put('docs', 'a', '# A')
const page = await client.pages.update('docs', 'a', (body) => body + '\\nmore')
const paths = []
for await (const { path } of client.pages.list('docs')) paths.push(path)
const rejected = await client.pages.get('docs', 'none').catch((error) => error)
const genuine = await verifyWebhook({ body: 'x', headers: {}, secret: 'whsec_eA==' })
console.log(JSON.stringify([page.version, paths, rejected instanceof ApiError, rejected.code, genuine]))
`

test('the packed client works under the Node of the machine, against a running service', async () => {
  writeFileSync(join(folder, 'script.mjs'), SCRIPT)
  const { stdout } = await run(plainNode(), ['script.mjs'], {
    cwd: folder,
    env: { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key },
  })
  assert.deepEqual(JSON.parse(stdout), [2, ['a'], true, 'not_found', false])
})

const CONSUMER = `
import { type Client, createClient, type Edit, type Page, ApiError, verifyWebhook } from 'recto/client'

const client: Client = createClient({ url: 'https://wiki.example.org', key: 'svc_x' })
const edits: Edit[] = [{ op: 'replace', find: 'a', text: 'b', expectedCount: 2 }]
export async function day(): Promise<string[]> {
  const titles: string[] = []
  for await (const page of client.pages.list('docs', { prefix: 'guide/' })) titles.push((page satisfies Page).title)
  const { changes } = await client.pages.edit('docs', 'guide/start', edits, { ifMatch: 3, note: 'words' })
  const found = await client.metadata.search({ filters: [{ key: 'due', op: 'lt', value: '2026-04-01' }] }).toArray(10)
  const genuine: boolean = await verifyWebhook({ body: '', headers: new Headers(), secret: '' })
  await client.metadata.patch('docs', 'a', { set: { status: 'done', old: null }, append: { tags: 'x' } })
  return [...titles, String(changes[0]?.fromLine), found[0]?.path ?? '', String(genuine)]
}
export function word(error: unknown): string | undefined {
  return error instanceof ApiError ? error.currentETag : undefined
}
// @ts-expect-error there is no such edit
export const wrong: Edit = { op: 'rewrite', text: 'x' }
// @ts-expect-error a filter that compares needs a value
export const unfinished = client.metadata.search({ filters: [{ key: 'due', op: 'lt' }] })
`

test('the packed declarations check a program, without the types of Node', async () => {
  writeFileSync(join(folder, 'consumer.ts'), CONSUMER)
  const options = {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['consumer.ts'] }),
  )
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error)
  assert.equal(stdout, '')
})

test('the packed program runs without its sources', async () => {
  const { stdout } = await run(process.execPath, [join(modules, 'recto/bin/recto.js'), '--help'])
  assert.match(stdout, /^usage: recto /)
})

test('the package brings a bill of materials: every dependency of the lock file with its hash, and no other', () => {
  const bom = JSON.parse(readFileSync(join(modules, 'recto/build/bom.cdx.json'), 'utf8'))
  assert.equal(bom.bomFormat, 'CycloneDX')
  assert.equal(bom.metadata.component.name, 'recto')
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string; dev?: boolean; devOptional?: boolean }>
  }
  const expected = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`)
  const components: { name: string; version: string; hashes?: { alg: string }[] }[] = bom.components
  const listed = components.map(({ name, version }) => `${name}@${version}`)
  assert.deepEqual(listed.toSorted(), [...new Set(expected)].toSorted())
  assert.ok(components.every(({ hashes }) => hashes?.some(({ alg }) => alg === 'SHA-512')))
})
