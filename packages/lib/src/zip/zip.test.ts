import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fc } from '../../../../test/support/property.ts'
import { readZipDirectory, readZipMember, ZipError } from './zip-reader.ts'
import { writeZip, type ZipFile } from './zip-writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'recto-zip-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const limits = { maxFiles: 100_000, maxBytes: 100 * 1024 * 1024 }
const modified = new Date('2026-03-04T05:06:08Z')
let number = 0
/** A ZIP library in Python that reads our archives, and writes malicious ones. */
const python = { skip: spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is not there' }

async function* listed(files: readonly ZipFile[]): AsyncGenerator<ZipFile> {
  yield* files
}

async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 1_000) yield content.subarray(at, at + 1_000)
}

async function zipped(files: readonly ZipFile[]): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of writeZip(listed(files))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function stored(archive: Buffer): string {
  const path = join(folder, `${++number}.zip`)
  writeFileSync(path, archive)
  return path
}

async function opened<T>(archive: Buffer, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(stored(archive), 'r')
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

async function unzip(archive: Buffer, own = limits): Promise<Map<string, Buffer>> {
  return opened(archive, async (file) => {
    const found = new Map<string, Buffer>()
    for (const [name, member] of await readZipDirectory(file, own)) {
      found.set(name, await readZipMember(file, member, 50_000_000))
    }
    return found
  })
}

const plain = (name: string, content: string | Buffer = name): ZipFile => ({
  name,
  modified,
  content: Buffer.from(content),
})

test('a written archive can be read, in memory or in chunks', async () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-zäß字]{1,8}(\/[a-z]{1,8})?\.md$/), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(
      names,
      fc.array(fc.uint8Array({ maxLength: 5_000 }), { minLength: 8, maxLength: 8 }),
      async (names, contents) => {
        const files = names.map((name, index) => ({ name, content: Buffer.from(contents[index] ?? []) }))
        const archive = await zipped(
          files.map(({ name, content }, index) => ({
            name,
            modified,
            content: index % 2 === 0 ? content : pieces(content),
          })),
        )
        const found = await unzip(archive)
        assert.deepEqual(
          [...found],
          files.map(({ name, content }) => [name.normalize('NFC'), content]),
        )
      },
    ),
    { numRuns: 50 },
  )
})

test('other programs read the archive with its names and times', python, async () => {
  const path = stored(
    await zipped([plain('ä/b.md', 'x'.repeat(100_000)), { ...plain('c'), content: pieces(Buffer.from('c')) }]),
  )
  const script = `
import sys, zipfile, json
z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
print(json.dumps([[i.filename, i.file_size, list(i.date_time)] for i in z.infolist()]))`
  const output = execFileSync('python3', ['-c', script, path], { encoding: 'utf8' })
  assert.deepEqual(JSON.parse(output), [
    ['ä/b.md', 100_000, [2026, 3, 4, 5, 6, 8]],
    ['c', 1, [2026, 3, 4, 5, 6, 8]],
  ])
})

test('a long stream is compressed unless its beginning does not shrink', python, async () => {
  const [random, text] = [randomBytes(400_000), Buffer.from('a line of text\n'.repeat(30_000))]
  const sizeOf = async (content: Buffer) => {
    const archive = await zipped([{ name: 'x', modified, content: pieces(content) }])
    assert.ok((await unzip(archive)).get('x')?.equals(content))
    execFileSync('python3', [
      '-c',
      'import sys, zipfile; assert zipfile.ZipFile(sys.argv[1]).testzip() is None',
      stored(archive),
    ])
    return archive.length
  }
  const size = await sizeOf(random)
  assert.ok(size < random.length + 1_000, `${size}`)
  assert.ok((await sizeOf(text)) < 5_000)
})

/** Writes malicious archives, each by a script. One process writes all: its start takes longer than the rest. */
function craftAll(scripts: readonly string[]): Buffer[] {
  const paths = scripts.map(() => join(folder, `${++number}.zip`))
  const program = scripts.map((script, index) => `path = sys.argv[${index + 1}]\n${script}`)
  execFileSync('python3', [
    '-W',
    'ignore',
    '-c',
    ['import sys, zipfile, stat, struct', ...program].join('\n'),
    ...paths,
  ])
  return paths.map((path) => readFileSync(path))
}

function crafted(script: string): Buffer {
  return Buffer.concat(craftAll([script]))
}

const write = (name: string) => `
z = zipfile.ZipFile(path, 'w'); z.writestr(${JSON.stringify(name)}, 'x'); z.close()`

test('names outside the archive are rejected', python, async () => {
  const names = [
    '../x.md',
    'a/../../x.md',
    '/etc/x.md',
    'C:/x.md',
    'c:x.md',
    '..\\x.md',
    'a\\..\\..\\b.md',
    '\\etc\\x.md',
    '..',
  ]
  const named = (name: string) => `
z = zipfile.ZipFile(path, 'w'); i = zipfile.ZipInfo('n' * ${Buffer.byteLength(name)}); z.writestr(i, 'x'); z.close()
d = open(path, 'rb').read().replace(b'n' * ${Buffer.byteLength(name)}, ${JSON.stringify(name)}.encode()); open(path, 'wb').write(d)`
  const outside = craftAll(names.map(named))
  assert.equal(outside.length, names.length)
  for (const [index, archive] of outside.entries()) await assert.rejects(unzip(archive), ZipError, names[index])
  assert.equal((await unzip(crafted(write('a..b/..c.md')))).size, 1)
})

test(
  'a duplicate name is rejected, and one in another Unicode normalisation form is another name',
  python,
  async () => {
    const twice = (a: string, b: string) => `
z = zipfile.ZipFile(path, 'w'); z.writestr(${JSON.stringify(a)}, 'x'); z.writestr(${JSON.stringify(b)}, 'y'); z.close()`
    await assert.rejects(unzip(crafted(twice('a.md', 'a.md'))), /occurs twice/)
    for (const archive of craftAll([twice('a\u0308.md', '\u00e4.md'), twice('\u00e4.md', 'a\u0308.md')]))
      assert.deepEqual([...(await unzip(archive)).keys()], ['\u00e4.md', 'a\u0308.md'])
  },
)

test('links, encrypted files and other methods are rejected', python, async () => {
  const link = `
z = zipfile.ZipFile(path, 'w'); i = zipfile.ZipInfo('a.md'); i.create_system = 3
i.external_attr = (stat.S_IFLNK | 0o777) << 16; z.writestr(i, '/etc/passwd'); z.close()`
  await assert.rejects(unzip(crafted(link)), /link or a device/)
  const bzip = `
z = zipfile.ZipFile(path, 'w', zipfile.ZIP_BZIP2); z.writestr('a.md', 'x' * 1000); z.close()`
  await assert.rejects(unzip(crafted(bzip)), /method 12/)
  const encrypted = `
z = zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED); z.writestr('a.md', 'x' * 1000); z.close()
d = bytearray(open(path, 'rb').read()); d[6] |= 1; c = d.rindex(b'PK\\x01\\x02'); d[c + 8] |= 1; open(path, 'wb').write(d)`
  await assert.rejects(unzip(crafted(encrypted)), /encrypted/)
})

test('a zip bomb is rejected before it is decompressed', python, async () => {
  const bomb = `
z = zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED); z.writestr('a.md', b'\\0' * (40 << 20)); z.close()`
  await assert.rejects(unzip(crafted(bomb)), /200 times/)
  const files = [plain('a', 'x'.repeat(600)), plain('b', 'y'.repeat(600))]
  await assert.rejects(unzip(await zipped(files), { maxFiles: 10, maxBytes: 1_000 }), /more than 1000 bytes/)
  await assert.rejects(unzip(await zipped(files), { maxFiles: 1, maxBytes: 9_000 }), /more than 1 files/)
})

test('a file larger than its declared size is not decompressed beyond that size', python, async () => {
  const lying = `
z = zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED); z.writestr('a.md', b'a' * 100000); z.close()
d = bytearray(open(path, 'rb').read()); c = d.rindex(b'PK\\x01\\x02'); d[c + 24:c + 28] = struct.pack('<I', 10); open(path, 'wb').write(d)`
  await assert.rejects(unzip(crafted(lying)), ZipError)
})

test('overlapping files are rejected', python, async () => {
  const overlapping = `
z = zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED); z.writestr('a.md', b'a' * 1000); z.writestr('b.md', b'b' * 1000); z.close()
d = bytearray(open(path, 'rb').read()); c = d.rindex(b'PK\\x01\\x02'); d[c + 42:c + 46] = struct.pack('<I', 0); open(path, 'wb').write(d)`
  await assert.rejects(unzip(crafted(overlapping)), /overlap/)
})

test('an archive that is damaged at any byte is rejected', async () => {
  const archive = await zipped([plain('a.md', 'a'.repeat(2_000)), plain('b.md', Buffer.from('Some text'))])
  for (let length = 0; length < archive.length; length += 7) {
    await assert.rejects(unzip(archive.subarray(0, length)), ZipError, `cut to ${length}`)
  }
  for (let at = 0; at < archive.length; at++) {
    const damaged = Buffer.from(archive)
    damaged[at] = (damaged[at] ?? 0) ^ 0xff
    await unzip(damaged).catch((error) => assert.ok(error instanceof ZipError, `byte ${at}: ${error}`))
  }
})
