/** The same items; the next one is read while one is in use. */
export async function* readAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  try {
    let next = items.next()
    for (let item = await next; !item.done; item = await next) {
      next = items.next()
      next.catch(() => {}) // awaited for the next item, unless the reader has ended
      yield item.value
    }
  } finally {
    await items.return(undefined)
  }
}
