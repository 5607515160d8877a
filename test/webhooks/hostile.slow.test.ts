import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { isPublicAddress } from '@recto/lib/network/address-ranges.ts'
import { createAgents } from '../../packages/server/src/platform/outbound/agents.ts'
import { type AttemptResult, sendAttempt, type Transport } from '../../packages/server/src/platform/outbound/attempt.ts'
import {
  createPublicCheck,
  createResolver,
  type Resolve,
} from '../../packages/server/src/platform/outbound/ssrf-filter.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/certificate.ts'
import { until } from '../support/embedded.ts'
import { readJson, withSharedData } from '../support/shared-data.ts'

/** Receivers at the level of the socket, where they can do what no HTTP server would. */

const TIMEOUT_MS = 500
const MESSAGE = { headers: { 'X-Svc-Event': 'page.created' }, body: '{"a":1}' }
const servers: Server[] = []
const agents = createAgents()
after(() => {
  agents[Symbol.dispose]()
  for (const server of servers) server.close()
})

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return address.port
}

/** A receiver on TCP; `speak` gets each connection once the request began to come. */
async function rawReceiver(speak: (socket: Socket) => void): Promise<{ url: string; sockets: Socket[] }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => speak(socket))
  })
  return { url: `http://127.0.0.1:${await listen(server)}/hook`, sockets }
}

function transport(more: Partial<Transport> = {}): Transport {
  return {
    reach: { allowHttp: true, allowPrivate: true, isPublic: isPublicAddress },
    resolve: createResolver(),
    agents,
    timeoutMs: TIMEOUT_MS,
    userAgent: 'test',
    ...more,
  }
}

async function send(url: string, more: Partial<Transport> = {}): Promise<AttemptResult> {
  const result = await sendAttempt(transport(more), { ...MESSAGE, url })
  assert.ok(result)
  return result
}

/** A resolver that answers from a list, one answer a question. */
function answers(...lists: readonly (readonly string[])[]): Resolve & { asked: number } {
  const resolve = async () => {
    const list = lists[Math.min(resolve.asked, lists.length - 1)] ?? []
    resolve.asked += 1
    return list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  resolve.asked = 0
  return resolve
}

test('a receiver that never responds is cut off at the timeout', async () => {
  const { url } = await rawReceiver(() => {})
  const result = await send(url)
  assert.equal(result.error, 'timeout')
  assert.equal(result.responseStatus, null)
  assert.ok(result.durationMs >= TIMEOUT_MS - 5 && result.durationMs < TIMEOUT_MS + 400, `${result.durationMs} ms`)
})

test('a slowloris receiver that drips headers is cut off at the total timeout', async () => {
  const { url, sockets } = await rawReceiver((socket) => {
    const head = 'HTTP/1.1 200 OK\r\nX-Slow: '
    let at = 0
    const timer = setInterval(() => socket.write(head[at++] ?? 'x'), 20)
    socket.on('close', () => clearInterval(timer))
  })
  const result = await send(url)
  assert.equal(result.error, 'timeout')
  assert.ok(result.durationMs < TIMEOUT_MS + 400)
  await until(() => sockets.every((socket) => socket.destroyed))
})

test('a slowloris receiver that drips the body counts by its status', async () => {
  const { url } = await rawReceiver((socket) => {
    socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 100000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
  })
  const result = await send(url)
  assert.equal(result.responseStatus, 202)
  assert.equal(result.error, null)
  assert.match(result.responseBody ?? '', /^x{5,}$/)
  assert.ok(result.durationMs < TIMEOUT_MS + 400)
})

test('of a response of 1 GB 64 KiB are read and 1 KiB is stored', async () => {
  let sent = 0
  const { url, sockets } = await rawReceiver((socket) => {
    const chunk = Buffer.alloc(64 * 1024, 'y')
    socket.write(`HTTP/1.1 500 No\r\nContent-Length: ${1024 ** 3}\r\n\r\n`)
    const more = () => {
      while (!socket.destroyed && sent < 1024 ** 3) {
        sent += chunk.length
        if (!socket.write(chunk)) return
      }
    }
    socket.on('drain', more)
    more()
  })
  const before = process.memoryUsage().rss
  const result = await send(url)
  assert.equal(result.responseStatus, 500)
  assert.equal(result.responseBody, 'y'.repeat(1024))
  await until(() => sockets.every((socket) => socket.destroyed))
  assert.ok(sent < 16 * 1024 ** 2, `${sent} bytes left the receiver`)
  assert.ok(process.memoryUsage().rss - before < 64 * 1024 ** 2)
  assert.ok(result.durationMs < TIMEOUT_MS)
})

test('response headers without end are rejected and not buffered', async () => {
  const { url } = await rawReceiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const more = () => {
      while (!socket.destroyed && socket.write(`X-More: ${'z'.repeat(8192)}\r\n`));
    }
    socket.on('drain', more)
    more()
  })
  assert.equal((await send(url)).error, 'invalid_response (HPE_HEADER_OVERFLOW)')
})

test('resets, closed connections and invalid HTTP end the attempt with their error code', async () => {
  const reset = await rawReceiver((socket) => socket.resetAndDestroy())
  const closed = await rawReceiver((socket) => socket.destroy())
  const garbage = await rawReceiver((socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'))
  const upgrade = await rawReceiver((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  )
  assert.match((await send(reset.url)).error ?? '', /^connection_reset/)
  assert.match((await send(closed.url)).error ?? '', /^connection_reset/)
  assert.match((await send(garbage.url)).error ?? '', /^invalid_response \(HPE_/)
  assert.match((await send(upgrade.url)).error ?? '', /^(connection_reset|timeout)/)
  assert.equal((await send('http://127.0.0.1:1/')).error, 'connection_refused (ECONNREFUSED)')
})

test('a truncated response counts by its status', async () => {
  const { url } = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhal'))
  const result = await send(url)
  assert.deepEqual([result.responseStatus, result.responseBody, result.error], [200, 'hal', null])
})

test('a binary response body is stored as valid text', async () => {
  const { url } = await rawReceiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n')
    socket.end(Buffer.from([0x41, 0x00, 0xff, 0x42]))
  })
  assert.equal((await send(url)).responseBody, 'A\ufffd\ufffdB')
})

test('a redirect is recorded and not followed', async () => {
  const inside = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
  const { url } = await rawReceiver((socket) =>
    socket.end(`HTTP/1.1 302 Found\r\nLocation: ${inside.url}\r\nContent-Length: 0\r\n\r\n`),
  )
  const result = await send(url)
  assert.deepEqual([result.responseStatus, result.error], [302, 'redirect_not_followed'])
  assert.equal(inside.sockets.length, 0)
})

/** A receiver that responds 204 to each request; `onRequest` may do something else instead. */
async function keepingReceiver(onRequest: (socket: Socket, request: number) => boolean = () => false) {
  const sockets: Socket[] = []
  let requests = 0
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', () => {
      requests += 1
      if (!onRequest(socket, requests)) socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    })
  })
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}/hook`, port, sockets, requests: () => requests }
}

test('attempts one after another share a connection, as long as it is allowed', async () => {
  const { url, sockets } = await keepingReceiver()
  for (let n = 1; n <= 3; n++) assert.equal((await send(url)).responseStatus, 204)
  assert.equal(sockets.length, 1)
})

test('a connection that the receiver closed when the next request came is not an error', async () => {
  const { url, sockets } = await keepingReceiver((socket, request) => {
    if (request === 2) socket.resetAndDestroy()
    return request === 2
  })
  assert.equal((await send(url)).responseStatus, 204)
  assert.equal((await send(url)).responseStatus, 204)
  assert.equal(sockets.length, 2)
})

test('a receiver that resets every connection is asked at most twice', async () => {
  const receiver = await keepingReceiver((socket, request) => {
    if (request > 1) socket.resetAndDestroy()
    return request > 1
  })
  assert.equal((await send(receiver.url)).responseStatus, 204)
  assert.match((await send(receiver.url)).error ?? '', /^connection_reset/)
  assert.equal(receiver.requests(), 3)
})

test('after a timeout on a kept connection nothing is sent again', async () => {
  const { url, sockets } = await keepingReceiver((_, request) => request === 2)
  assert.equal((await send(url)).responseStatus, 204)
  assert.equal((await send(url)).error, 'timeout')
  assert.equal((await send(url)).responseStatus, 204)
  assert.equal(sockets.length, 2)
})

test('nothing is sent on a kept connection whose address is no longer allowed', async () => {
  const receiver = await keepingReceiver()
  const url = `http://kept.example:${receiver.port}/`
  const resolve = answers([PUBLIC])
  assert.equal((await send(url, { ...filtered, resolve })).responseStatus, 204)
  const reach = { ...filtered.reach, isPublic: () => false }
  const result = await send(url, { reach, resolve })
  assert.deepEqual([result.error, result.blocked], ['address_blocked', true])
  assert.equal(receiver.requests(), 1)
})

test('an idle connection is closed, also where the receiver would keep it', async () => {
  using brief = createAgents({ idleMs: 50, maxAgeMs: 60_000 })
  const { url, sockets } = await keepingReceiver()
  assert.equal((await send(url, { agents: brief })).responseStatus, 204)
  await until(() => sockets.every((socket) => socket.destroyed))
})

test('a connection is not used beyond its maximum age', async () => {
  using ageing = createAgents({ idleMs: 60_000, maxAgeMs: 0 })
  const { url, sockets } = await keepingReceiver()
  for (let n = 1; n <= 2; n++) assert.equal((await send(url, { agents: ageing })).responseStatus, 204)
  assert.equal(sockets.length, 2)
})

test('TLS is verified: an untrusted certificate and plain text fail, a trusted certificate passes', async () => {
  const secure = createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
  })
  secure.on('tlsClientError', () => {})
  const port = await listen(secure)
  const url = `https://receiver.example:${port}/`
  const resolve = answers(['127.0.0.1'])
  assert.equal((await send(url, { resolve })).error, 'tls_error (DEPTH_ZERO_SELF_SIGNED_CERT)')
  const other = await send(`https://other.example:${port}/`, { resolve, ca: CERTIFICATE })
  assert.equal(other.error, 'tls_error (ERR_TLS_CERT_ALTNAME_INVALID)')
  assert.equal((await send(url, { resolve, ca: CERTIFICATE })).responseStatus, 200)
  const plain = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
  assert.match((await send(plain.url.replace('http:', 'https:'))).error ?? '', /^(tls_error|connection_reset)/)
})

/** What counts as public here: one loopback address, since no other reaches a receiver on this machine. */
const PUBLIC = '127.0.0.1'
const filtered = { reach: { allowHttp: true, allowPrivate: false, isPublic: (address: string) => address === PUBLIC } }

test('the connection is pinned to the public address that the name resolved to', async () => {
  const receiver = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
  const resolve = answers([PUBLIC])
  const url = receiver.url.replace('127.0.0.1', 'receiver.example')
  assert.equal((await send(url, { ...filtered, resolve })).responseStatus, 200)
  assert.equal(resolve.asked, 1)
})

test('DNS rebinding from a public to a private address never reaches the private one', async () => {
  const inside: Socket[] = []
  const port = await listen(
    createServer((socket) => {
      inside.push(socket)
    }),
    '127.0.0.2',
  )
  // Other tests listen at 127.0.0.1, by chance at this very port.
  const nobody = '127.0.0.3'
  const means = { reach: { ...filtered.reach, isPublic: (address: string) => address === nobody } }
  const resolve = answers([nobody], ['127.0.0.2'], ['127.0.0.2', nobody])
  const url = `http://rebind.example:${port}/`
  // The first answer is the one that is connected to: nobody listens there, and the name is not asked again.
  assert.equal((await send(url, { ...means, resolve })).error, 'connection_refused (ECONNREFUSED)')
  assert.equal(resolve.asked, 1)
  for (const asked of [2, 3]) {
    const result = await send(url, { ...means, resolve })
    assert.deepEqual([result.error, result.blocked], ['address_blocked', true])
    assert.equal(resolve.asked, asked)
  }
  assert.equal(inside.length, 0)
})

test('one private address among public ones blocks the delivery', async () => {
  const resolve = answers([PUBLIC, '10.0.0.1'])
  const result = await send('http://mixed.example:1/', { ...filtered, resolve })
  assert.deepEqual([result.error, result.blocked], ['address_blocked', true])
})

test('an IP literal is checked before connecting, because it is not looked up', async () => {
  const { url, sockets } = await rawReceiver(() => {})
  const reach = { ...filtered.reach, isPublic: isPublicAddress }
  const result = await send(url, { reach })
  assert.deepEqual([result.error, result.blocked], ['webhook_url_private', true])
  assert.equal(sockets.length, 0)
})

test('a URL that was allowed when stored is blocked when the setting is off', async () => {
  const reach = { allowHttp: false, allowPrivate: false, isPublic: () => true }
  const result = await send('http://receiver.example/', { reach, resolve: answers([PUBLIC]) })
  assert.deepEqual([result.error, result.blocked], ['webhook_url_not_https', true])
})

test('nothing is sent if the socket is connected to another address than was checked', async () => {
  const said: Buffer[] = []
  const port = await listen(
    createServer((socket) => {
      socket.on('data', (chunk) => said.push(chunk))
      socket.on('error', () => {})
    }),
    '127.0.0.2',
  )
  // The check passes on the question and fails on the socket, as if the system had connected elsewhere.
  let judged = 0
  const reach = { ...filtered.reach, isPublic: () => judged++ === 0 }
  const result = await send(`http://elsewhere.example:${port}/`, { reach, resolve: answers(['127.0.0.2']) })
  assert.deepEqual([result.error, result.blocked], ['address_blocked', true])
  assert.equal(Buffer.concat(said).length, 0)
})

test(
  'every address of the vectors that is denied blocks the delivery whose name resolves to it',
  withSharedData,
  async () => {
    const { addresses } = readJson<{ addresses: { address: string; denied: boolean }[] }>('address-vectors.json')
    const reach = { allowHttp: false, allowPrivate: false, isPublic: createPublicCheck() }
    for (const { address } of addresses.filter(({ denied }) => denied)) {
      const result = await send('https://hook.example/', { reach, resolve: answers(['8.8.8.8', address]) })
      assert.deepEqual([result.error, result.blocked], ['address_blocked', true], address)
    }
  },
)

test('names without an address and failing resolvers are DNS errors', async () => {
  assert.match((await send('http://a.example/', { resolve: answers([]) })).error ?? '', /^dns_error/)
  const failing = async () => {
    throw Object.assign(new Error('no'), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' })
  }
  assert.equal((await send('http://a.example/', { resolve: failing })).error, 'dns_error (EAI_AGAIN)')
})

test('a resolver that never responds is cut off at the timeout', async () => {
  const result = await send('http://a.example/', { resolve: () => new Promise(() => {}) })
  assert.equal(result.error, 'timeout')
  assert.ok(result.durationMs < TIMEOUT_MS + 400)
})

test('an aborted attempt has no result', async () => {
  const { url } = await rawReceiver(() => {})
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  assert.equal(await sendAttempt(transport(), { ...MESSAGE, url }, stop.signal), undefined)
  assert.equal(await sendAttempt(transport(), { ...MESSAGE, url }, stop.signal), undefined)
})
