const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Decodes Base64 (RFC 4648, section 4) with its padding; undefined if the text is anything else. */
export function decodeBase64(text: string): Buffer | undefined {
  return text.length % 4 === 0 && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined
}
