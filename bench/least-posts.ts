/**
 * The floor of deliveries: signed POSTs to the given URLs in turn over kept sockets, and nothing else: `[posts]
 * [url]...`
 */
import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'

const [posts = '1', ...urls] = process.argv.slice(2)
const CONCURRENCY = 64
const body = JSON.stringify({ n: 1, text: 'x'.repeat(400) })
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY, maxFreeSockets: CONCURRENCY })
let sent = 0

async function sendInTurn(): Promise<void> {
  while (sent < Number(posts)) await post(urls[sent++ % urls.length] ?? '')
}

function post(url: string): Promise<void> {
  const signature = createHmac('sha256', 'secret').update(body).digest('base64')
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'webhook-signature': `v1,${signature}` },
    })
    outgoing.once('error', reject)
    outgoing.once('response', (response) => response.resume().once('end', resolve))
    outgoing.end(body)
  })
}

await Promise.all(Array.from({ length: CONCURRENCY }, sendInTurn))
agent.destroy()
