/** The text of a `tsvector` in the binary format of PostgreSQL: `'word':1A,2 …`, in the order of the words there. */
export function vectorText(vector: Uint8Array): string {
  const bytes = Buffer.from(vector)
  const entries: string[] = []
  let at = 4
  const readShort = () => {
    at += 2
    return bytes.readUInt16BE(at - 2)
  }
  for (let left = bytes.readInt32BE(0); left > 0; left--) {
    const end = bytes.indexOf(0, at)
    const word = bytes.toString('utf8', at, end)
    at = end + 1
    const places = Array.from({ length: readShort() }, () => placeText(readShort()))
    entries.push(`'${word}':${places}`)
  }
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes after the last word`)
  return entries.join(' ')
}

function placeText(place: number): string {
  return (place & 0x3fff) + (['', 'C', 'B', 'A'][place >> 14] ?? '')
}
