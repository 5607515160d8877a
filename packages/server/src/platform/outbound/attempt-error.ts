const WORDS: Readonly<Record<string, string>> = {
  ADDRESS_BLOCKED: 'address_blocked',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'unreachable',
}

/** Verification errors of OpenSSL, as Node names them, have no common prefix. */
const TLS =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_C|INVALID_|PATH_LENGTH|HOSTNAME_MISMATCH)/

/** The reason of a failure: a stable word with the system's error code, and no internal details. */
export function errorWord(error: unknown): string {
  const code = readCode(error)
  if (code === undefined) return 'request_failed'
  if (code === 'ADDRESS_BLOCKED') return 'address_blocked'
  return `${toWord(code, error)} (${code})`
}

function toWord(code: string, error: unknown): string {
  if (error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo') return 'dns_error'
  if (code.startsWith('HPE_')) return 'invalid_response'
  if (TLS.test(code)) return 'tls_error'
  return WORDS[code] ?? 'request_failed'
}

function readCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
