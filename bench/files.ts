/**
 * Files: `node bench/files.ts [--only part,...] [megabytes] [large megabytes] [uploads] [seconds] [rounds]`; the parts
 * are downloads, memory, others, thumbnails and pages. Downloads compared with `node:http` from the disk, memory while
 * a large file goes up and down, other requests while many files are uploaded, ready thumbnails compared with the
 * yardstick of reads, and a page with 30 images compared with the same page without.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { Client } from '../test/support/client.ts'
import { openLoad, times } from '../test/support/load.ts'
import { startProcess } from '../test/support/process.ts'
import { startBareReads } from './bare-reads.ts'
import { download, MB, someData, upload } from './file-requests.ts'
import { alternate, benchFolder, print, report, requestsPerSecond } from './measure.ts'

const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true })
const [size = 100, large = 1024, uploads = 64, seconds = 2, rounds = 5] = positionals.map(Number)
const UPLOAD_MB = Math.min(20, size)
const IMAGES = 30
/** After so many reads the young generation of the heap has its full size: its growth is not that of a file. */
const READS_BEFORE = 600

using folder = benchFolder()
await using recto = await startProcess({
  data: folder.path,
  env: {
    SVC_DATABASE_POOL: '32',
    SVC_RATE_LIMIT: '0',
    SVC_MAX_CONCURRENT_REQUESTS: '0',
    SVC_MAX_FILE_BYTES: String(Math.max(size, large, UPLOAD_MB) * MB),
  },
})
const admin = new Client(recto.url, recto.key)
const authorization = `Bearer ${recto.key}`
const target = { base: recto.url, key: recto.key }
await admin.space('bench')
await admin.put('/pages/bench/page', '# A page\n\nWith some text.\n')

const parts = { downloads, memory, others: otherRequests, thumbnails, pages: imagesInPages }
for (const [name, run] of Object.entries(parts)) {
  if (values.only === undefined || values.only.split(',').includes(name)) await run()
}

/** Megabytes a second, one download after another. */
async function downloads(): Promise<void> {
  const path = join(folder.path, 'plain')
  await writeFile(path, randomBytes(size * MB))
  const plain = createServer((_request, response) => {
    response.setHeader('content-length', size * MB)
    createReadStream(path).pipe(response)
  })
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  const { port } = plain.address() as AddressInfo // it listens on TCP
  await upload(target, '/files/bench/download', () => createReadStream(path), size * MB)
  const rate = async (url: string) => {
    const began = performance.now()
    await download(url, recto.key, size * MB)
    return size / ((performance.now() - began) / 1_000)
  }
  const rates = await alternate(
    {
      'node:http, disk': () => rate(`http://127.0.0.1:${port}/`),
      Recto: () => rate(`${recto.url}/files/bench/download`),
    },
    rounds,
  )
  plain.close()
  print(`downloads of ${size} MB, MB/s`)
  report(rates, 'node:http, disk')
}

/** How much the memory of the service grows while a large file is uploaded and downloaded. */
async function memory(): Promise<void> {
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${recto.pid}/status`, 'utf8'))?.[1]) / 1_000
  using load = openLoad(recto.url, recto.key, 1)
  for (let n = 0; n < READS_BEFORE; n++) await load.send('GET', `/pages/bench/page${n % 2 ? '.md' : ''}`)
  const before = rss()
  let highest = before
  const watch = setInterval(() => {
    highest = Math.max(highest, rss())
  }, 100)
  await upload(target, '/files/bench/large', () => someData(large * MB), large * MB)
  const afterUpload = highest
  await download(`${recto.url}/files/bench/large`, recto.key, large * MB)
  clearInterval(watch)
  print(
    `${large} MB: RSS ${before.toFixed(0)} MB before, at most ${afterUpload.toFixed(0)} MB during the upload, ` +
      `${highest.toFixed(0)} MB with the download`,
  )
}

/** Response times of a page, alone and while files are uploaded at the same time. */
async function otherRequests(): Promise<void> {
  using load = openLoad(recto.url, recto.key, 1)
  const p95 = async (isOver: () => boolean) => {
    const all: number[] = []
    while (!isOver()) {
      const began = performance.now()
      const { status } = await load.send('GET', '/pages/bench/page.md')
      if (status !== 200) throw new Error(`a read was answered ${status}`)
      all.push(performance.now() - began)
    }
    all.sort((a, b) => a - b)
    return all[Math.floor(0.95 * all.length)] ?? 0
  }
  const until = performance.now() + seconds * 1_000
  const quiet = await p95(() => performance.now() > until)
  let uploaded = false
  const args = [join(import.meta.dirname, 'uploads.ts'), recto.url, recto.key, uploads, UPLOAD_MB].map(String)
  const uploading = once(spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] }), 'exit')
  uploading.finally(() => {
    uploaded = true
  })
  const began = performance.now()
  const busy = await p95(() => uploaded)
  const [code] = await uploading
  if (code !== 0) throw new Error(`the uploads ended with ${code}`)
  const rate = (uploads * UPLOAD_MB) / ((performance.now() - began) / 1_000)
  print(
    `p95 of a page: ${quiet.toFixed(1)} ms alone, ${busy.toFixed(1)} ms during ${uploads} uploads of ${UPLOAD_MB} ` +
      `MB (${rate.toFixed(0)} MB/s)`,
  )
}

async function thumbnails(): Promise<void> {
  const picture = await sharp({ create: { width: 1200, height: 800, channels: 3, background: '#357' } })
    .jpeg()
    .toBuffer()
  await upload(target, '/files/bench/picture.jpg', () => Readable.from([picture]), picture.length)
  const thumbnail = `${recto.url}/files/bench/picture.jpg?width=320`
  await fetch(thumbnail, { headers: { authorization } })
  using yardstick = await startBareReads('yardstick', folder.path)
  print('reads of a ready thumbnail')
  report(
    await alternate(
      {
        yardstick: () => requestsPerSecond({ url: yardstick.page, expect: 200 }, seconds),
        thumbnail: () => requestsPerSecond({ url: thumbnail, headers: { authorization }, expect: 200 }, seconds),
      },
      rounds,
    ),
    'yardstick',
  )
}

async function imagesInPages(): Promise<void> {
  for (const n of times(IMAGES, (index) => index)) {
    const bytes = await sharp({ create: { width: 400 + n, height: 300, channels: 3, background: '#753' } })
      .png()
      .toBuffer()
    await upload(target, `/files/bench/images/${n}.png`, () => Readable.from([bytes]), bytes.length)
  }
  const body = (target: (n: number) => string) =>
    times(IMAGES, (n) => `A paragraph with some words.\n\n![Image ${n}](${target(n)})\n`).join('\n')
  await admin.put(
    '/pages/bench/with',
    body((n) => `./images/${n}.png`),
  )
  await admin.put(
    '/pages/bench/without',
    body((n) => `https://images.example/${n}.png`),
  )
  const read = (path: string) =>
    requestsPerSecond({ url: recto.url + path, headers: { authorization, accept: 'text/html' }, expect: 200 }, seconds)
  print(`HTML of a page with ${IMAGES} images`)
  report(
    await alternate({ without: () => read('/pages/bench/without'), with: () => read('/pages/bench/with') }, rounds),
    'without',
  )
}
