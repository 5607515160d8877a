import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { until } from './embedded.ts'
import { ROOT } from './process.ts'

export const LOAD_BALANCERS = ['haproxy', 'nginx'] as const
export type LoadBalancerName = (typeof LOAD_BALANCERS)[number]

export interface LoadBalancer extends AsyncDisposable {
  readonly url: string
  readonly process: ChildProcess
}

/** Why this load balancer cannot be started here; `false` where it can. */
export function missing(name: LoadBalancerName): string | false {
  return spawnSync(name, ['-v']).error ? `${name} is not installed` : false
}

/** Distributes the requests to a free port over these ports of this machine. */
export async function startLoadBalancer(
  name: LoadBalancerName,
  nodes: readonly number[],
): Promise<LoadBalancer> {
  const folder = mkdtempSync(join(tmpdir(), `recto-${name}-`))
  const port = await freePort()
  const file = join(folder, `${name}.conf`)
  writeFileSync(file, name === 'haproxy' ? haproxyConfig(port, nodes) : nginxConfig(port, nodes, folder))
  mkdirSync(join(folder, 'temp'))
  const words = name === 'haproxy' ? ['-db', '-f', file] : ['-p', folder, '-e', 'stderr', '-c', file]
  const child = spawn(name, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const said = text(child.stderr)
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${await said}`)
    return listens(port)
  })
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  server.close()
  await once(server, 'close')
  return port
}

/** Whether anybody accepts connections on a port. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

/** Asks `/readyz` of each node, and sends nothing to a node that is not ready. */
function haproxyConfig(port: number, nodes: readonly number[]): string {
  return `
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 2s
  retries 3
  option redispatch
frontend recto
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 200ms fall 1 rise 1
${nodes.map((node, index) => `  server node${index} 127.0.0.1:${node}`).join('\n')}
`
}

/** deploy/nginx.conf with these ports. nginx asks no node: it goes on to the next where one does not accept the connection. */
function nginxConfig(port: number, nodes: readonly number[], folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const servers = nodes.map((node) => `  server 127.0.0.1:${node} max_fails=1 fail_timeout=1s;\n`).join('')
  const site = readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8')
    .replace(/( *server 127\.0\.0\.1:.*\n)+/, servers)
    .replace('listen 3000;', `listen 127.0.0.1:${port};`)
  return `
daemon off;
pid ${folder}/nginx.pid;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off;
${temporary.map((kind) => `  ${kind}_temp_path ${folder}/temp/${kind};`).join('\n')}
${site}
}
`
}
