import assert from 'node:assert/strict'
import { test } from 'node:test'
import { corporaMissing, corpusFiles } from '../../../test/support/corpora.ts'
import { readJson } from '../../../test/support/shared-data.ts'
import { splitFrontMatter } from './front-matter.ts'
import { analysePage } from './page.ts'

const dataOf = (yaml: string) => splitFrontMatter(`---\n${yaml}\n---\nbody\n`).data

test('a block of YAML at the start is front matter, not text', () => {
  assert.deepEqual(splitFrontMatter('---\ntitle: A\ntags: [b, c]\n---\n# Body\n'), {
    data: { title: 'A', tags: ['b', 'c'] },
    title: 'A',
    content: '# Body\n',
    lines: 4,
  })
})

test('carriage returns, a byte order mark, trailing spaces and a closing line of dots are accepted', () => {
  const { data, content, lines } = splitFrontMatter('\uFEFF--- \r\ntitle: A\r\n...\t\r\nbody')
  assert.deepEqual({ data, content, lines }, { data: { title: 'A' }, content: 'body', lines: 3 })
})

test('a body may consist of front matter only', () => {
  assert.deepEqual(splitFrontMatter('---\na: 1\n---'), { data: { a: 1 }, content: '', lines: 2 })
})

test('a block that starts with a space, or never ends, is no front matter', () => {
  for (const body of [' ---\na: 1\n---\n', '---\na: 1\nnever closed', '----\na: 1\n---\n', '\n---\na: 1\n---\n']) {
    assert.deepEqual(splitFrontMatter(body), { data: {}, content: body, lines: 0 }, JSON.stringify(body))
  }
})

test('an empty block and blank lines in it are front matter', () => {
  assert.deepEqual(splitFrontMatter('---\n---\nbody'), { data: {}, content: 'body', lines: 2 })
  assert.deepEqual(splitFrontMatter('---\n\na: 1\n---\nbody'), { data: { a: 1 }, content: 'body', lines: 4 })
})

test('a block that is not a YAML mapping is not rendered either', () => {
  for (const yaml of [
    ': : bad [',
    'Just prose.',
    '- item',
    '[a](./b)',
    'title: a: b',
    'a: [1',
    'a: 1\n\tb: 2',
    'a: *nowhere',
    '{a: 1',
    'a: &x [*x',
    '? [a]\n: b: c',
  ]) {
    const { data, content } = splitFrontMatter(`---\na: 1\n${yaml}\n---\nbody`)
    assert.deepEqual({ data, content }, { data: {}, content: 'body' }, yaml)
  }
})

test('values follow YAML 1.2 and are valid JSON', () => {
  const yaml =
    'n: 1\nf: 1.5\nb: true\nno: no\nd: 2015-10-27\nnil: ~\ninf: .inf\nnan: .nan\n1: x\nt: !thing y\nbin: !!binary aGk='
  const data = dataOf(yaml)
  assert.deepEqual(data, {
    n: 1,
    f: 1.5,
    b: true,
    no: 'no',
    d: '2015-10-27',
    nil: null,
    inf: null,
    nan: null,
    1: 'x',
    t: 'y',
    bin: 'aGk=',
  })
  assert.deepEqual(JSON.parse(JSON.stringify(data)), data)
})

test('the last value of a duplicate key counts', () => {
  assert.deepEqual(dataOf('a: 1\na: 2'), { a: 2 })
})

test('a key named __proto__ is a key like any other', () => {
  const data = dataOf('__proto__: {polluted: yes}\nconstructor: 1')
  assert.deepEqual(Object.keys(data).sort(), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(data), Object.prototype)
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})

test('strings contain no characters that PostgreSQL rejects', () => {
  assert.deepEqual(dataOf('a: "x\\0y"\nb: "\\uD800"\n"k\\0": 1'), { a: 'x\uFFFDy', b: '\uFFFD', 'k\uFFFD': 1 })
})

test('aliases are expanded, and alias bombs are malformed', () => {
  assert.deepEqual(dataOf('a: &x [1]\nb: *x'), { a: [1], b: [1] })
  const letters = [...'abcdefghi']
  const bomb = letters.map((letter, i) =>
    i === 0 ? 'a: &a [x, x, x, x, x, x, x, x, x]' : `${letter}: &${letter} [${Array(9).fill(`*${letters[i - 1]}`)}]`,
  )
  assert.deepEqual(dataOf(bomb.join('\n')), {})
  assert.deepEqual(dataOf('a: &x [*x]'), {})
})

test('front matter over the limits of size, depth and count is malformed, without delay', () => {
  const started = process.cpuUsage()
  for (const yaml of [
    `a: ${'x'.repeat(70_000)}`,
    `a: ${'['.repeat(30_000)}`,
    `a: ${'['.repeat(40)}${']'.repeat(40)}`,
    `a: [${'1,'.repeat(20_000)}]`,
    `a:\n${'- '.repeat(30_000)}`,
  ]) {
    assert.deepEqual(dataOf(yaml), {}, yaml.slice(0, 20))
  }
  assert.ok(process.cpuUsage(started).user < 5_000_000)
})

test('the front matter of a thousand real pages is read', { skip: corporaMissing }, () => {
  const files = corpusFiles('eips')
  const expected = readJson<Record<string, unknown>>('md/eips/front-matter.json')
  for (const [path, data] of Object.entries(expected)) {
    assert.deepEqual(splitFrontMatter(String(files.get(path))).data, data, path)
  }
})

test('a title is shown as it is written, whatever YAML makes of it', () => {
  for (const title of ['1.0', '2024-01-01', 'yes', 'true', '0x10', '1e3', '007', '12345678901234567890', '1_000']) {
    assert.equal(analysePage(`---\ntitle: ${title}\n---\n# Heading\n`).title, title, title)
  }
  assert.equal(analysePage('---\ntitle: "1.0"\n---\n').title, '1.0')
  assert.equal(analysePage('---\ntitle: a\ntitle: 2.50\n---\n').title, '2.50')
  for (const none of ['null', '~', '', '[a]']) {
    assert.equal(analysePage(`---\ntitle: ${none}\n---\n# Heading\n`).title, 'Heading', none)
  }
})
