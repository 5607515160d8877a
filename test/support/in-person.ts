import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { type Answer, Client, type Options } from './client.ts'
import { openBrowser } from './oauth.ts'

/** Calls the API with the session of a person who is signed in with a browser. */
class SessionClient extends Client {
  readonly #headers: Readonly<Record<string, string>>

  constructor(base: string, cookie: string) {
    super(base, undefined)
    const token = deriveCsrfToken(cookie.split('=')[1] ?? '')
    this.#headers = { cookie, 'x-csrf-token': token, 'sec-fetch-site': 'same-origin' }
  }

  override call(method: string, path: string, options: Options = {}): Promise<Answer> {
    return super.call(method, path, { ...options, headers: { ...this.#headers, ...options.headers } })
  }
}

/** Signs in with a key. */
export async function inPerson(base: string, key: string): Promise<Client> {
  const { cookies } = await openBrowser(base, key)
  const [cookie] = [...cookies].filter(([name]) => name.includes('session'))
  return new SessionClient(base, cookie?.join('=') ?? '')
}
