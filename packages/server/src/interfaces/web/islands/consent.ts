/**
 * Delays the button of the consent again whenever its window comes to the front: another site may have placed it below
 * the pointer, between the two clicks of a double click. The style sheet delays it after the screen has loaded.
 */
const button = document.querySelector<HTMLElement>('.delayed')
const delayAgain = () => button?.animate({ pointerEvents: ['none', 'none'], opacity: [0.6, 0.6] }, 500)

addEventListener('focus', delayAgain)
addEventListener('pageshow', delayAgain)
document.addEventListener('visibilitychange', delayAgain)

export {}
