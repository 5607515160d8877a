/**
 * The same bytes in memory of their own, for what is kept. A Buffer is often a view of more than it shows: of 16 KiB where
 * zlib made it, of 8 KiB where Node did, of a whole read of a socket; whoever keeps the view keeps all of that.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
