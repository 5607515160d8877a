import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { retryLater } from '@recto/contract/errors.ts'
import { KeyedQueue, QueueFull } from '@recto/lib/concurrency/keyed-queue.ts'

const derive = promisify(argon2)

/** The minimum that OWASP recommends for argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19 * 1024
const PASSES = 2
const SALT_BYTES = 16
const HASH_BYTES = 32
/** The PHC string format, with unpadded Base64. */
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Half of the cores: the others serve reads. */
const LANES = Math.max(1, Math.floor(availableParallelism() / 2))
const MAX_WAITING = 500
const queue = new KeyedQueue({ maxWaiting: Math.ceil(MAX_WAITING / LANES) })
let turn = 0

/** The hash of a password, for storage. Derived in the thread pool of libuv, never on the main thread. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await compute(password, { salt, memory: MEMORY_KIB, passes: PASSES, parallelism: 1 })
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${base64(salt)}$${base64(hash)}`
}

/** Whether the password matches the stored hash. Without a hash the result is false after the same time. */
export async function verifyPassword(password: string, storedHash: string | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = PHC.exec(storedHash ?? (await decoy())) ?? []
  const expectedHash = Buffer.from(hash, 'base64')
  const computedHash = await compute(password, {
    salt: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  })
  return timingSafeEqual(computedHash, expectedHash) && storedHash !== undefined
}

let decoyHash: Promise<string> | undefined

/** The hash of a password that nobody knows. */
function decoy(): Promise<string> {
  decoyHash ??= hashPassword(randomBytes(SALT_BYTES).toString('base64'))
  return decoyHash
}

interface Parameters {
  readonly salt: Buffer
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

/** With a concurrency limit: the thread pool also reads files and resolves names. */
async function compute(password: string, { salt, memory, passes, parallelism }: Parameters): Promise<Buffer> {
  const parameters: Argon2Parameters = {
    message: password.normalize('NFC'),
    nonce: salt,
    memory,
    passes,
    parallelism,
    tagLength: HASH_BYTES,
  }
  turn = (turn + 1) % LANES
  try {
    return await queue.run(String(turn), () => derive('argon2id', parameters))
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error
    const detail = 'Too many sign-ins at the moment. Try again in a few seconds.'
    throw retryLater('too_many_requests', detail, 5, error)
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
