import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFilterOp } from '@recto/contract/filter-ops.ts'
import { parsePagePath } from '@recto/contract/page-address.ts'
import { isJsonObject, parseJson } from '@recto/lib/json/json.ts'
import { folderOf, readBuiltinTemplates, resolveTarget, type TemplatePage } from './builtin-content.ts'

const CATEGORIES = ['team', 'engineering', 'product', 'research', 'customers', 'agents']
const FRONT_MATTER_KEYS = ['title', 'description', 'metadataDefaults', 'pathPrefix']
const KEY = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
/** They end as the keys of dates do. */
const NO_DATES = ['depends-on', 'requested-by']
const VARIABLE = /\{\{.*?\}\}/g

const templates = readBuiltinTemplates()
const pages = templates.flatMap((template) =>
  [...template.pages.values()].map((page) => ({ template, page, at: `${template.id}: ${page.path}` })),
)

test('there is one built-in template for each category', () => {
  assert.deepEqual(
    templates.map(({ id }) => id),
    ['agent-memory', 'customer-accounts', 'engineering-docs', 'product-specs', 'research-notes', 'team-handbook'],
  )
  const categories = templates.map(({ manifest }) => isJsonObject(manifest) && manifest.category)
  assert.deepEqual(categories.toSorted(), CATEGORIES.toSorted())
})

test('each manifest holds title, description in one sentence, category, and name and description of the space', () => {
  for (const { id, manifest } of templates) {
    assert.ok(isJsonObject(manifest), id)
    assert.deepEqual(Object.keys(manifest), ['title', 'description', 'category', 'space'], id)
    const { title, description, space } = manifest
    assert.ok(isJsonObject(space), id)
    assert.deepEqual(Object.keys(space), ['name', 'description'], id)
    for (const text of [title, description, space.name, space.description]) assertText(text, id)
    assert.match(String(description), /^[A-Z][^.!?]*\.$/, id)
  }
})

test('each template has 8 to 16 pages, including home, and only pages and metadata', () => {
  for (const { id, pages, strays } of templates) {
    assert.ok(pages.size >= 8 && pages.size <= 16, `${id} has ${pages.size} pages`)
    assert.ok(pages.has('home'), id)
    assert.deepEqual(strays, [], id)
  }
})

test('every path is a page path of lower-case words, and every folder but templates/ has a page of its own', () => {
  for (const { template, page, at } of pages) {
    assert.equal(parsePagePath(page.path), page.path, at)
    assert.match(page.path, /^[a-z0-9-]+(\/[a-z0-9-]+)*$/, at)
    const folder = folderOf(page.path)
    assert.ok(folder === '' || folder === 'templates' || template.pages.has(folder), `${at} has no parent page`)
  }
})

test('every page starts with its only heading of level 1, followed by text', () => {
  for (const { page, at } of pages) {
    assert.match(page.body, /^\n?# \S/, at)
    assert.equal(page.headings.filter(({ level }) => level === 1).length, 1, at)
    assert.ok(page.body.length > 300, `${at} says hardly anything`)
  }
})

test('every link of a page targets a page of the same template, and every fragment one of its headings', () => {
  for (const { template, page, at } of pages) {
    for (const href of page.hrefs) assertResolves(template.pages, page.path, href, at)
  }
})

test('links of a page template also resolve from the folder in which it creates pages', () => {
  for (const { template, page, at } of pages.filter(({ page }) => isPageTemplate(page))) {
    const made = `${page.frontmatter.pathPrefix}made`
    const pages = new Map([...template.pages, [made, page]])
    for (const href of page.hrefs) assertResolves(pages, made, href, `${at} at ${made}`)
  }
})

test('every page is reachable from home', () => {
  for (const { id, pages } of templates) {
    const reached = new Set<string>()
    const visit = (path: string): void => {
      if (reached.has(path)) return
      reached.add(path)
      const page = pages.get(path)
      for (const href of page?.hrefs ?? []) {
        const target = resolveTarget(path, href)
        if (typeof target === 'object') visit(target.path)
      }
    }
    visit('home')
    assert.deepEqual(
      [...pages.keys()].filter((path) => !reached.has(path)),
      [],
      id,
    )
  }
})

test('only bodies of page templates have variables, and their names are words', () => {
  for (const { page, at } of pages) {
    assert.doesNotMatch(JSON.stringify(page.frontmatter), /\{\{/, at)
    const variables: readonly string[] = page.body.match(VARIABLE) ?? []
    if (isPageTemplate(page)) {
      assert.ok(variables.includes('{{title}}'), `${at} has no {{title}}`)
      for (const variable of variables) assert.match(variable, /^\{\{[a-z]+\}\}$/, at)
    } else assert.deepEqual(variables, [], at)
    assert.doesNotMatch(page.body.replaceAll(VARIABLE, ''), /\{\{/, at)
  }
})

test('page templates have a title, a description, defaults and a prefix, and ordinary pages no front matter', () => {
  for (const { template, page, at } of pages) {
    if (!isPageTemplate(page)) {
      assert.deepEqual(page.frontmatter, {}, at)
      continue
    }
    const { title, description, metadataDefaults, pathPrefix } = page.frontmatter
    assert.deepEqual(Object.keys(page.frontmatter).toSorted(), FRONT_MATTER_KEYS.toSorted(), at)
    assertText(title, at)
    assertText(description, at)
    assert.match(String(pathPrefix), /^[a-z-]+\/$/, at)
    assertMetadata(metadataDefaults, at)
    assert.ok(!template.metadata.has(page.path), `${at}: metadata of a template are its defaults`)
  }
})

test('every ordinary page has metadata: kind, status, owner and tags, with keys and dates in one form', () => {
  for (const { template, page, at } of pages.filter(({ page }) => !isPageTemplate(page))) {
    const metadata = template.metadata.get(page.path)
    assertMetadata(metadata, at)
    // A session log is answered for by the agent that it names.
    assert.ok(Object.hasOwn(metadata, 'owner') || Object.hasOwn(metadata, 'agent'), `${at} has no owner`)
  }
  for (const { id, pages, metadata } of templates) {
    for (const path of metadata.keys()) assert.ok(pages.has(path), `${id}: metadata of no page: ${path}`)
  }
})

test('every key of the metadata, and every kind and status, is explained on a page of its template', () => {
  for (const { id, metadata, pages } of templates) {
    const explained = new Set([...pages.values()].flatMap(({ codeSpans }) => codeSpans))
    const defaults = [...pages.values()].map(({ frontmatter }) => frontmatter.metadataDefaults)
    const used = [...metadata.values(), ...defaults]
      .filter(isJsonObject)
      .flatMap((metadata) => [...Object.keys(metadata), metadata.kind, metadata.status])
      .map(String)
    assert.deepEqual(
      [...new Set(used)].filter((word) => !explained.has(word)),
      [],
      id,
    )
  }
})

test('every JSON block is valid, and every list in one consists of valid filters on explained keys', () => {
  let filters = 0
  for (const { template, page, at } of pages) {
    for (const { text } of page.fences.filter(({ language }) => language === 'json')) {
      const value = parseJson(text)
      assert.ok(Array.isArray(value), at)
      for (const filter of value) {
        assert.ok(isJsonObject(filter), at)
        assert.deepEqual(Object.keys(filter), ['key', 'op', 'value'], at)
        assert.ok(isFilterOp(filter.op), at)
        const spans = [...template.pages.values()].flatMap(({ codeSpans }) => codeSpans)
        assert.ok(spans.includes(String(filter.key)), `${at} asks for ${filter.key}`)
        filters++
      }
    }
  }
  assert.ok(filters > 20)
})

test('every block of code names its language', () => {
  for (const { page, at } of pages) {
    for (const { language, text } of page.fences) assert.notEqual(language, '', `${at}: ${text}`)
  }
})

function isPageTemplate(page: TemplatePage): boolean {
  return page.path.startsWith('templates/')
}

function assertText(value: unknown, at: string): void {
  assert.ok(typeof value === 'string' && value.trim() === value && value.length > 2, at)
}

function assertResolves(all: ReadonlyMap<string, TemplatePage>, from: string, href: string, at: string): void {
  const target = resolveTarget(from, href)
  if (target === 'external') {
    assert.match(href, /^https:\/\//, at)
    return
  }
  assert.ok(target !== 'outside', `${at}: ${href} is no relative link to a page`)
  const page = all.get(target.path)
  assert.ok(page, `${at}: ${href} leads to no page`)
  const found = page.headings.some(({ id }) => id === target.fragment)
  assert.ok(target.fragment === '' || found, `${at}: ${href} leads to no heading`)
}

function assertMetadata(value: unknown, at: string): asserts value is Readonly<Record<string, unknown>> {
  assert.ok(isJsonObject(value), `${at} has no metadata object`)
  for (const [key, item] of Object.entries(value)) {
    assert.match(key, KEY, at)
    assert.ok(item !== null && item !== '', `${at}: ${key} is empty`)
    if (/-(on|by|date)$/.test(key) && !NO_DATES.includes(key)) {
      assert.match(String(item), /^\d{4}-\d{2}-\d{2}$/, `${at}: ${key}`)
    }
    if (/-at$/.test(key)) assert.match(String(item), /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/, `${at}: ${key}`)
  }
  for (const key of ['kind', 'status', 'tags']) assert.ok(Object.hasOwn(value, key), `${at} has no ${key}`)
  assert.ok(Array.isArray(value.tags), `${at}: tags is no array`)
}
