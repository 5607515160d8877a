import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { after, before, test } from 'node:test'
import { runLine } from '@recto/cli/recto.ts'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { CORPORA, type Corpus, corporaMissing, corpusFiles, corpusFolder } from '../support/corpora.ts'
import { png } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { recordingTerminal } from '../support/terminal.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  if (corporaMissing) return
  ;[service, browser] = await Promise.all([startService({ SVC_RATE_LIMIT: '0' }), startBrowser()])
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const IMAGE = /!\[[^\]]*\]\(([^)\s]+)[^)]*\)/g

/** The paths of the images that each page of a corpus shows by a relative target. */
function imagesOf(corpus: Corpus): ReadonlyMap<string, readonly string[]> {
  const found = [...corpusFiles(corpus)].map(([page, body]) => {
    const targets = [...body.toString().matchAll(IMAGE)].map(([, target = '']) => target)
    const relative = targets.filter((target) => !/^(?:[a-z]+:|\/)/i.test(target))
    return [page, relative.map((target) => posix.join(posix.dirname(page), target))] as const
  })
  return new Map(found.filter(([, images]) => images.length > 0))
}

function svg(width: number): Buffer {
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="10"><rect width="${width}" height="10"/></svg>`,
  )
}

/** A copy of the pages with images, in which all images exist: those that the corpus lacks have a size of their own. */
function illustrated(corpus: Corpus, pages: Iterable<string>, images: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'recto-test-'))
  const copy = (path: string, otherwise: () => Buffer) => {
    const original = join(corpusFolder(corpus), path)
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), existsSync(original) ? readFileSync(original) : otherwise())
  }
  for (const page of pages) copy(`${page}.md`, () => assert.fail(page))
  for (const [index, path] of images.entries()) {
    copy(path, () => (path.endsWith('.svg') ? svg(20 + index) : png(20 + index, 10)))
  }
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The images of the shown page that are files and cannot be decoded, and how many are shown. */
function shownImages(page: Page): Promise<{ readonly shown: number; readonly broken: readonly string[] }> {
  return page.evaluate(async () => {
    const images = [...document.querySelectorAll<HTMLImageElement>('article img[src*="/files/"]')]
    const decoded = await Promise.all(
      images.map(async (image) => {
        image.loading = 'eager'
        return image.decode().then(
          () => image.naturalWidth > 0,
          () => false,
        )
      }),
    )
    return { shown: images.length, broken: images.filter((_, n) => !decoded[n]).map(({ src }) => src) }
  })
}

interface Bundle {
  readonly pages: readonly { readonly path: string; readonly body: string }[]
  readonly files: readonly { readonly path: string; readonly data: string }[]
}

/** The files of an export, each in one or more parts. */
function filesOf({ files }: Bundle): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>()
  for (const { path, data } of files) {
    found.set(path, Buffer.concat([found.get(path) ?? Buffer.alloc(0), Buffer.from(data, 'base64')]))
  }
  return found
}

for (const corpus of CORPORA) {
  test(`the pages of ${corpus} with images are imported, shown without a broken one, and exported byte for byte`, {
    skip: corporaMissing,
  }, async () => {
    const images = imagesOf(corpus)
    const paths = [...new Set([...images.values()].flat())]
    using folder = illustrated(corpus, images.keys(), paths)
    const env = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
    const terminal = recordingTerminal(env)
    const code = await runLine(['import', folder.path, '--space', corpus], terminal)
    assert.equal(code, 0, terminal.said.err)

    const { page, open } = await newVisitor(browser, service)
    for (const [path, targets] of images) {
      await open(`/pages/${corpus}/${encodeURIComponent(path)}`)
      const { shown, broken } = await shownImages(page)
      assert.deepEqual(broken, [], path)
      assert.ok(shown >= new Set(targets).size, `${path} shows ${shown} images of ${targets.length}`)
      assert.equal(await page.locator('.missing-file').count(), 0, path)
    }

    const bundle: Bundle = assertStatus(await service.admin.get(`/spaces/${corpus}/export`), 200).json
    const bodies = new Map(bundle.pages.map(({ path, body }) => [path, body]))
    const bodyOf = (path: string) => readFileSync(join(folder.path, `${path}.md`), 'utf8')
    for (const path of images.keys()) assert.equal(bodies.get(path), bodyOf(path), path)
    const files = filesOf(bundle)
    for (const path of paths) {
      assert.ok(files.get(path)?.equals(readFileSync(join(folder.path, path))), path)
    }
  })
}
