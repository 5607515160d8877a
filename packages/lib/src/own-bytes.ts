/**
 * Copies bytes that are kept for long. A Buffer is often a view of a larger one, which it keeps alive: 16 KiB of
 * zlib, 8 KiB of Node, or a complete read of a socket.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
