import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import Fastify from 'fastify'
import { shutDownGracefully } from './graceful-shutdown.ts'
import { addHooks } from './hooks.ts'
import type { Server } from './server.ts'

test('connections in the backlog when the server stops get responses with Connection: close', async () => {
  const app = Fastify({ return503OnClosing: false }) as unknown as Server // as far as closing is concerned
  const { closeConnection } = shutDownGracefully(app)
  addHooks(app, { onSend: [closeConnection] })
  app.get('/', async () => 'answered')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo // it listens on TCP
  const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'))
  const answers = sockets.map((socket) => text(socket))
  // The kernel connects them at once, the server accepts one a turn.
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const closed = app.close()
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: recto\r\n\r\n')
  for (const answer of await Promise.all(answers)) {
    assert.match(answer, /^HTTP\/1.1 200 OK\r\n/)
    assert.match(answer, /^connection: close\r\n/im)
  }
  await closed
})
