/**
 * What signing in with a password costs, and what it costs others: `node bench/sign-in.ts [sign-ins at once] [rounds]`.
 * The processor time of one sign-in, the longest turn of the event loop meanwhile, and the p95 of a reader beside
 * sign-ins at once, compared with the reader alone.
 */
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { sendForm } from '../test/support/browser-session.ts'
import { assertStatus, Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, embeddedConnection, median, print, processorTime, timeReads } from './measure.ts'

const PASSWORD = 'quartz lantern vivid moss'
const SINGLE = 20
const READ_SECONDS = 3

const [atOnce = 100, rounds = 3] = process.argv.slice(2).map(Number)
using folder = benchFolder()
const data = join(folder.path, 'data')
const socket = join(folder.path, 'turns')
await using recto = await startProcess({
  data,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0', SVC_TRUST_PROXY: '1', BENCH_TURNS: socket },
  nodeOptions: ['--import', join(import.meta.dirname, 'turns.ts')],
})
const admin = new Client(recto.url, recto.key)
const nobody = new Client(recto.url, undefined)
await admin.space('bench')
await admin.put('/pages/bench/read', '# A page\n\nSome text.')
await createAccounts()

let address = 0
/** From an address of its own, as people sign in. */
async function signIn(number: number): Promise<void> {
  address += 1
  const from = `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`
  const fields = { email: `person-${number}@example.org`, password: PASSWORD }
  assertStatus(await sendForm(nobody, '/sign-in/password', fields, { 'x-forwarded-for': from }), 303)
}

const of = { pid: recto.pid, cluster: join(data, 'postgres') }
const longestTurn = async () => Number(await text(connect(socket)))
const reads = () => timeReads({ ...recto, data, path: '/pages/bench/read.md' }, READ_SECONDS)

await signIn(0)
await reads()
await longestTurn()
const spent = processorTime(of)
for (let number = 0; number < SINGLE; number++) await signIn(number)
const each = spent() / SINGLE
print(`one sign-in: ${each.toFixed(0)} ms of processor time, ${(each / 300).toFixed(2)} of the 300 ms that it may take`)
print(`longest turn of the event loop: ${(await longestTurn()).toFixed(0)} ms`)

const shares: number[] = []
for (let round = 0; round < rounds; round++) {
  const alone = await reads()
  let signedIn = 0
  let isReading = true
  const people = Array.from({ length: atOnce }, async (_, number) => {
    while (isReading) {
      await signIn(number)
      signedIn += 1
    }
  })
  const beside = await reads()
  isReading = false
  await Promise.all(people)
  const share = beside.p95 / alone.p95
  shares.push(share)
  print(
    `p95 of a reader: ${alone.p95.toFixed(1)} ms alone, ${beside.p95.toFixed(1)} ms beside ${atOnce} people who ` +
      `sign in at once (${signedIn} sign-ins): ${share.toFixed(2)}`,
  )
}
print(`p95 beside sign-ins, compared with alone: ${median(shares).toFixed(2)}; at most 2`)

/** People with one password: the first chooses it by a link, the others get its hash. */
async function createAccounts(): Promise<void> {
  const account = { name: 'Person 0', kind: 'human', email: 'person-0@example.org' }
  const { id } = assertStatus(await admin.post('/admin/principals', account), 201).json
  const { url } = assertStatus(await admin.post(`/admin/principals/${id}/password-link`), 201).json
  assertStatus(await sendForm(nobody, new URL(url).pathname, { password: PASSWORD }), 303)
  const client = new pg.Client(embeddedConnection(data))
  await client.connect()
  await client.query(
    `insert into principal (id, name, kind, role, email, created_at)
       select gen_random_uuid(), 'Person ' || n, 'human', 'member', 'person-' || n || '@example.org', now()
       from generate_series(1, $1::int) n`,
    [atOnce],
  )
  await client.query(
    `insert into password (principal_id, hash, changed_at)
       select principal.id, password.hash, now() from principal, password
       where principal.name like 'Person %' and principal.id <> password.principal_id`,
  )
  await client.end()
}
