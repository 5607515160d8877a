/** Uploads files at the same time, in a process of its own: `node bench/uploads.ts URL KEY COUNT MEGABYTES`. */
import { MB, someData, upload } from './file-requests.ts'

const [base, key, count, megabytes] = process.argv.slice(2)
const target = { base: String(base), key: String(key) }
const bytes = Number(megabytes) * MB
await Promise.all(
  Array.from({ length: Number(count) }, (_, n) =>
    upload(target, `/files/bench/upload-${n}`, () => someData(bytes), bytes),
  ),
)
