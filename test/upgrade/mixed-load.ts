import type { Answer, Client } from '../support/client.ts'

/**
 * Everything that a service does, round by round, by the API that two releases have in common: on pages of its own and
 * on one that several services write at the same time.
 */
export class MixedLoad {
  rounds = 0
  requests = 0
  slowestMs = 0
  /** Answers that no caller may get, in words. */
  readonly failures: string[] = []
  readonly #admin: Client
  readonly #name: string
  #stopped = false
  #running: Promise<void> | undefined

  constructor(name: string, admin: Client) {
    this.#name = name
    this.#admin = admin
  }

  start(): void {
    this.#running = (async () => {
      while (!this.#stopped) await this.round()
    })()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async round(): Promise<void> {
    const name = `${this.#name}-${this.rounds}`
    await this.#write(name)
    await this.#writeShared(name)
    await this.#moveAndDelete(name)
    await this.#changeSpaces(name)
    await this.#read(name)
    this.rounds++
  }

  async #write(name: string): Promise<void> {
    const admin = this.#admin
    const at = `/pages/guide/${name}`
    await this.#expect([201], () => admin.put(at, `# ${name}\n\n[a](setup) [b](/pages/renamed/p) [c](none-${name})`))
    const edited = `[b](/pages/renamed/p) [n](/pages/new-${name}/p)`
    await this.#expect([200], () => admin.put(at, edited, { 'if-match': '"1"' }))
    const edits = { edits: [{ old: '[b]', new: '[edited]' }] }
    await this.#expect([200, 400, 422], () => admin.patch(at, edits, { 'if-match': '"2"' }))
    await this.#expect([200], () => admin.patch(`${at}/metadata`, { set: { owner: name, points: this.rounds } }))
    await this.#expect([200], () => admin.patch(`${at}/metadata`, { append: { tags: [name] } }))
    const once = { 'idempotency-key': `"${name}"` }
    await this.#expect([201], () => admin.put(`${at}/once`, '# Once', once))
    await this.#expect([201], () => admin.put(`${at}/once`, '# Once', once))
  }

  /** A page that names one space by two slugs, in turn in another order; another service may have been quicker. */
  async #writeShared(name: string): Promise<void> {
    const admin = this.#admin
    const forms = ['[x](/pages/former/p)', '[y](/pages/renamed/p)', '[z](./setup)']
    const shared = await this.#expect([200, 404], () => admin.page('/pages/guide/shared'))
    const match = shared.status === 200 ? { 'if-match': `"${shared.json.version}"` } : { 'if-none-match': '*' }
    const body = `${name} ${(this.rounds % 2 ? forms : forms.toReversed()).join(' ')}`
    await this.#expect([200, 201, 412], () => admin.put('/pages/guide/shared', body, match))
    await this.#expect([200], () => admin.get('/pages/guide/shared/links'))
  }

  async #moveAndDelete(name: string): Promise<void> {
    const admin = this.#admin
    const at = `/pages/guide/moved/${name}`
    await this.#expect([201], () => admin.put(`/pages/guide/${name}/leaf`, `# Leaf\n\n[up](../${name})`))
    const to = { to: { path: `moved/${name}` } }
    await this.#expect([200], () => admin.post(`/pages/guide/${name}/leaf/move`, to, { 'if-match': '"1"' }))
    await this.#expect([200], () => admin.get(`${at}.md`))
    await this.#expect([200], () => admin.put(at, '# Leaf again', { 'if-match': '"1"' }))
    await this.#expect([200], () => admin.post(`${at}/versions/1/make-latest`, undefined, { 'if-match': '"2"' }))
    await this.#expect([200, 204], () => admin.delete(at, { 'if-match': '"3"' }))
    await this.#expect([410], () => admin.get(at))
    await this.#expect([200], () => admin.post(`${at}/restore`))
  }

  async #changeSpaces(name: string): Promise<void> {
    const admin = this.#admin
    await this.#expect([201], () => admin.post('/spaces', { slug: `new-${name}` }))
    await this.#expect([201], () => admin.put(`/pages/new-${name}/p`, `# P\n\n[home](/pages/guide/home)`))
    await this.#expect([200], () => admin.patch(`/spaces/new-${name}`, { slug: `named-${name}` }))
    await this.#expect([200, 204], () => admin.delete(`/spaces/named-${name}?force=true`))
    const hook = { url: 'https://receiver.invalid/hook', events: ['page.updated'] }
    const made = await this.#expect([201], () => admin.post('/admin/webhooks', hook))
    await this.#expect([200, 201, 202], () => admin.post(`/admin/webhooks/${made.json.webhook.id}/test`))
    await this.#expect([200], () => admin.get(`/admin/webhooks/${made.json.webhook.id}/deliveries`))
    await this.#expect([200, 204], () => admin.delete(`/admin/webhooks/${made.json.webhook.id}`))
  }

  async #read(name: string): Promise<void> {
    const reads = [
      `/pages/guide/${name}`,
      `/pages/guide/${name}/links`,
      `/pages/guide/${name}/versions`,
      `/pages/guide/${name}/versions/1`,
      `/pages/guide/${name}/metadata/history`,
      '/pages/guide/setup/links',
      '/pages/recent',
      '/spaces/guide/pages',
      '/spaces/guide/trash',
      '/spaces/guide/links/broken',
      '/spaces/guide/links/orphans',
      '/spaces/guide/links/wanted',
      '/search?q=findable',
      `/search/metadata?filters=${encodeURIComponent(JSON.stringify([{ key: 'owner', op: 'eq', value: name }]))}`,
      '/titles?q=set',
      '/changes',
      '/spaces',
      '/admin/audit',
      '/admin/principals',
      '/space-templates',
      '/me',
    ]
    for (const path of reads) await this.#expect([200], () => this.#admin.get(path))
    await this.#expect([200, 201, 202], () => this.#admin.call('POST', '/links/rebuild?space=guide'))
  }

  async #expect(allowed: readonly number[], send: () => Promise<Answer>): Promise<Answer> {
    const began = performance.now()
    const answer = await send()
    this.requests++
    this.slowestMs = Math.max(this.slowestMs, performance.now() - began)
    if (!allowed.includes(answer.status)) {
      this.failures.push(`${this.#name}: ${answer.status} ${answer.text.slice(0, 300)}`)
    }
    return answer
  }
}
