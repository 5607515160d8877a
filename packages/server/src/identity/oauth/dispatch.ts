import type { IncomingMessage } from 'node:http'
import { type Response as Injected, type InjectOptions, inject } from 'light-my-request'
import type Provider from 'oidc-provider'

/** Failed requests with their errors: the provider itself responds without details. */
const faults = new WeakMap<IncomingMessage, unknown>()

/** Reports the errors of the provider to `dispatch`. */
export function watchFaults(provider: Provider): void {
  provider.on('server_error', ({ req }, error) => faults.set(req, error))
}

/**
 * Passes a request to the provider, a request listener of Node, and returns its response, which is sent through the
 * hooks of this service. Throws internal errors of the provider, such as `database_unavailable`.
 */
export async function dispatch(
  provider: Provider,
  request: Pick<InjectOptions, 'method' | 'url' | 'payload' | 'remoteAddress'> & {
    readonly headers: Readonly<Record<string, string | undefined>>
  },
): Promise<Injected> {
  const { host, protocol } = new URL(provider.issuer)
  const sentHeaders = Object.entries(request.headers).filter(([, value]) => value !== undefined)
  const response = await inject(provider.callback(), {
    ...request,
    // The origin of its URLs is that of the deployment, whatever `Host` the request names.
    headers: { ...Object.fromEntries(sentHeaders), host, 'x-forwarded-proto': protocol.slice(0, -1) },
  })
  const fault = faults.get(response.raw.req)
  if (fault !== undefined) throw fault
  return response
}
