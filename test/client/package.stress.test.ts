import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { startBrowser } from '../support/browser.ts'
import { nodeVersions } from '../support/node-versions.ts'
import { ROOT } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'recto-client-'))
const installed = join(folder, 'node_modules/@recto/client')
let service: Service

before(async () => {
  service = await startService({ SVC_CORS_ORIGINS: '*' })
  await service.admin.space('docs')
  await run(process.execPath, [join(ROOT, 'tools/build-packages.ts'), 'client'], { cwd: ROOT })
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: join(ROOT, 'dist/client'),
  })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed])
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** A program that writes, reads and lists pages in a space of this name. */
const program = (importing: string, space: string) => `
${importing}
async function main() {
  const recto = createClient()
  await recto.spaces.create('${space}')
  await recto.pages.put('${space}', 'a', '# A')
  const page = await recto.pages.update('${space}', 'a', (body) => body + '\\nmore')
  const paths = []
  for await (const { path } of recto.pages.list('${space}')) paths.push(path)
  const { items } = await recto.pages.list('${space}')
  const rejected = await recto.pages.get('${space}', 'none').catch((error) => error)
  const genuine = await verifyWebhook({ body: 'x', headers: {}, secret: 'whsec_eA==' })
  console.log(JSON.stringify([page.version, paths, items.length, rejected instanceof NotFoundError, rejected.name, genuine]))
}
main()
`
const NAMES = '{ createClient, NotFoundError, verifyWebhook }'

test('the packed client has no dependencies, and runs under Node 20, 22 and 24, imported and required', async () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  assert.deepEqual([dependencies, peerDependencies], [undefined, undefined])
  for (const [index, node] of (await nodeVersions()).entries()) {
    const env = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key }
    writeFileSync(join(folder, 'a.mjs'), program(`import ${NAMES} from '@recto/client'`, `esm${index}`))
    writeFileSync(join(folder, 'a.cjs'), program(`const ${NAMES} = require('@recto/client')`, `cjs${index}`))
    for (const file of ['a.mjs', 'a.cjs']) {
      const { stdout } = await run(node, [file], { cwd: folder, env })
      assert.deepEqual(JSON.parse(stdout), [2, ['a'], 1, true, 'NotFoundError', false], `${node} ${file}`)
    }
  }
})

test('the packed client works in a browser, on a page of another origin', async () => {
  const server = createServer((request, response) => {
    const script = request.url === '/client.js'
    response.writeHead(200, { 'Content-Type': script ? 'text/javascript' : 'text/html' })
    response.end(script ? readFileSync(join(installed, 'esm/client.js')) : '<!doctype html><title>App</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await startBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const seen = await page.evaluate(
      async ([url, key]) => {
        const { createClient, PreconditionError } = await import('/client.js' as string)
        const recto = createClient({ url, key })
        const { etag } = await recto.pages.put('docs', 'browser', '# One')
        await recto.pages.put('docs', 'browser', '# Two', { ifMatch: etag })
        const lost = await recto.pages.put('docs', 'browser', 'x', { ifMatch: etag }).catch((e: Error) => e)
        const { version, body } = await recto.pages.getMarkdown('docs', 'browser')
        const { nextCursor } = await recto.changes.list({ since: 'now' })
        const kinds = ['page.created']
        const events = recto.changes.follow({ since: nextCursor, kinds })[Symbol.asyncIterator]()
        await recto.pages.put('docs', 'followed', 'x')
        let followed: { change: { page: { path: string } } }
        // `now` may stand before what was written a moment ago.
        do followed = (await events.next()).value
        while (followed.change.page.path === 'browser')
        return [version, body, lost instanceof PreconditionError, lost.current.version, followed.change.page.path]
      },
      [service.app.address, service.admin.key] as const,
    )
    assert.deepEqual(seen, [2, '# Two', true, 2, 'followed'])
  } finally {
    await browser.close()
    server.close()
  }
})

const CONSUMER = `
import {
  ApiError, type Client, createClient, type Edit, type Listing, NotFoundError, type Page, verifyWebhook,
} from '@recto/client'

const recto: Client = createClient({ url: 'https://wiki.example.org', key: 'svc_x', onRetry: ({ delayMs }) => void delayMs })
const edits: Edit[] = [{ op: 'replace', find: 'a', text: 'b', expectedCount: 2 }]
export async function day(): Promise<string[]> {
  const titles: string[] = []
  const list: Listing<Page> = recto.pages.list('docs', { prefix: 'guide/' })
  for await (const page of list) titles.push(page.title)
  const { items, nextCursor } = await list
  const { changes } = await recto.pages.edit('docs', 'guide/start', edits, { ifMatch: 3, note: 'words', timeout: 5_000 })
  const found = await recto.metadata.search({ filters: [{ key: 'due', op: 'lt', value: '2026-04-01' }] }).toArray(10)
  const genuine: boolean = await verifyWebhook({ body: '', headers: new Headers(), secret: '' })
  await recto.metadata.patch('docs', 'a', { set: { status: 'done', old: null }, append: { tags: 'x' } })
  const { relaxed } = await recto.search.pages('words')
  const response: Response = await recto.request('GET', '/me')
  for await (const { change, cursor } of recto.changes.follow()) titles.push(change.event, cursor)
  return [...titles, items[0]?.title ?? '', nextCursor ?? '', String(changes[0]?.fromLine), found[0]?.path ?? '', String([genuine, relaxed, response.status])]
}
export function word(error: unknown): string | undefined {
  if (error instanceof NotFoundError) return error.code
  return error instanceof ApiError ? error.currentETag : undefined
}
// @ts-expect-error there is no such edit
export const wrong: Edit = { op: 'rewrite', text: 'x' }
// @ts-expect-error a filter that compares needs a value
export const unfinished = recto.metadata.search({ filters: [{ key: 'due', op: 'lt' }] })
`

/** Each way in which a project finds declarations, with the file that it reads. */
const PROJECTS = [
  { file: 'consumer.mts', options: { module: 'nodenext', moduleResolution: 'nodenext' } },
  { file: 'consumer.cts', options: { module: 'nodenext', moduleResolution: 'nodenext' } },
  { file: 'consumer.ts', options: { module: 'esnext', moduleResolution: 'bundler' } },
]

async function check(compiler: string): Promise<void> {
  for (const { file, options } of PROJECTS) {
    const compilerOptions = {
      ...options,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: false,
    }
    writeFileSync(join(folder, file), CONSUMER)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
    const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error)
    assert.equal(stdout, '', file)
  }
}

test('the declarations check a program with the newest TypeScript, without the types of Node', () =>
  check(join(ROOT, 'node_modules/typescript/bin/tsc')))

test('the declarations check a program with TypeScript 5.4', async (t) => {
  const other = join(folder, 'typescript-5.4')
  mkdirSync(other)
  writeFileSync(join(other, 'package.json'), '{"private":true}')
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=0']
  await run('npm', ['install', 'typescript@~5.4.5', ...options], { cwd: other, timeout: 120_000 }).catch(
    () => undefined,
  )
  const compiler = join(other, 'node_modules/typescript/bin/tsc')
  if (!existsSync(compiler)) return t.skip('TypeScript 5.4 cannot be installed: there is no npm registry')
  await check(compiler)
})
