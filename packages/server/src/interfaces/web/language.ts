import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RunningConfig } from '../../access/ctx.ts'
import { appendHeader } from '../../platform/http/headers/response-headers.ts'
import { translateDetail } from '../../platform/language/details.ts'
import { chooseAcceptedLanguage, inLanguage, isScreenLanguage } from '../../platform/language/t.ts'

/**
 * The language of the screens for a request: that of the account, else the first one that the browser accepts and there
 * is, else that of the service (decisions, section 18).
 */
export function requestLanguage(request: FastifyRequest, { language }: Pick<RunningConfig, 'language'>): string {
  const { 'accept-language': acceptedLanguages } = request.headers
  // No context on public routes.
  const ownLanguage = (request.ctx as FastifyRequest['ctx'] | undefined)?.actor.language
  if (isScreenLanguage(ownLanguage)) return ownLanguage
  return (acceptedLanguages && chooseAcceptedLanguage(acceptedLanguages)) || language
}

/** A hook that continues each request in its language. Programs, which send a key, get the API in English. */
export function enterLanguage(config: Pick<RunningConfig, 'language'>) {
  return (request: FastifyRequest, _reply: FastifyReply, next: () => void): void => {
    if (isProgram(request)) next()
    else inLanguage(requestLanguage(request, config), next)
  }
}

/** The detail of a problem as scripts of a screen show it; undefined for programs, and where the language lacks it. */
export function localDetail(
  detail: string,
  request: FastifyRequest,
  config: Pick<RunningConfig, 'language'>,
): string | undefined {
  if (isProgram(request)) return undefined
  const translation = inLanguage(requestLanguage(request, config), () => translateDetail(detail))
  return translation === detail ? undefined : translation
}

function isProgram({ headers: { authorization, accept } }: FastifyRequest): boolean {
  return authorization !== undefined && !accept?.includes('text/html')
}

/** A hook of responses: caches keep documents of different languages apart. */
export function varyByLanguage(_request: FastifyRequest, reply: FastifyReply): void {
  const type = reply.getHeader('Content-Type')
  const varies = String(reply.getHeader('Vary') ?? '').includes('Accept-Language')
  if (typeof type === 'string' && type.startsWith('text/html') && !varies)
    appendHeader(reply, 'Vary', 'Accept-Language')
}
