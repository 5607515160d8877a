import type { Locator } from 'playwright-core'

/** Presses Tab until a control has the focus, as a person without a mouse does. */
export async function tabTo(target: Locator): Promise<void> {
  const { keyboard } = target.page()
  await target.waitFor()
  for (let steps = 0; steps < 120; steps++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await keyboard.press('Tab')
  }
  throw new Error('Tab does not reach the control.')
}
