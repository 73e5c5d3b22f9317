import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lacksBrowser, openPlayer, particle, play, dryRunProblems, timeline } from './play.ts'

describe.skipIf(lacksBrowser)('frames that are not captured', () => {
  let page: Awaited<ReturnType<typeof openPlayer>>
  beforeAll(async () => {
    page = await openPlayer()
  })
  afterAll(() => page[Symbol.asyncDispose]())

  it.each([
    `box.addEventListener('scroll', () => {})`,
    `addEventListener('scrollend', () => {}, { once: true })`,
    `box.addEventListener('webkitAnimationEnd', () => {})`,
    `box.onscroll = () => {}`,
    `document.onscroll = () => {}`,
    `document.body.onscroll = () => {}`,
    `document.body.setAttribute('onscroll', '')`,
    `box.innerHTML = '<i onscrollsnapchange="x"></i>'`,
    `onscroll = () => {}`,
    `void new Animation().ready`,
    `new Animation().onfinish = () => {}`,
    `new IntersectionObserver(() => {}).observe(box)`,
    `class Own extends ResizeObserver {}; new Own(() => {}).observe(box)`,
    `box.style.contentVisibility = 'auto'`,
    `box.style.animationTimeline = 'scroll()'`,
    `box.style['scrollTimeline'] = '--one'`,
    `Object.assign(box.style, { viewTimelineName: '--one' })`,
    `box.style.setProperty('view-timeline', '--one')`,
    `new window.ScrollTimeline()`,
    `new ViewTimeline({ subject: box })`,
    `box.scrollTop = 1`,
    `box.scrollIntoView()`,
    `window.scrollBy(0, 1)`,
  ])('are drawn for %s', async (listening) => {
    expect(await page.isDrawn(particle('<b id="box">x</b>', `${timeline('')}; ${listening}`))).toBe(true)
  })

  it('are not drawn for a particle without listeners of drawing events', async () => {
    const one = particle(
      '<b id="box" onclick="">x</b>',
      `${timeline('')}
       box.addEventListener('click', () => {})
       box.onload = () => {}
       new MutationObserver(() => {}).observe(box, { attributes: true })
       document.querySelector('b').classList.remove('x')
       document.fonts.ready.then(() => {})
       box.setAttribute('v-select', '')
       box.innerHTML = '<i x-close="" on-scroll=""></i>'
       void box.scrollTop`,
    )
    expect(await page.isDrawn(one)).toBe(false)
  })

  it.each([
    'const animationTimeline = { seek() {} }; animationTimeline.seek(1)',
    'let scrollTimeline, viewTimeline; scrollTimeline = viewTimeline = {}',
    'const made = { animationTimeline: 1 }; void [made]',
    'const contentVisibility = 1; // a view timeline, an animation trigger',
    'function makeScrollTimeline() {} makeScrollTimeline()',
    'const animationTrigger = 1, timelineTrigger = 2',
  ])('are not drawn for a script that only uses such names: %s', async (script) => {
    expect(await page.isDrawn(particle('<b>x</b>', `${timeline('')}; ${script}`))).toBe(false)
  })

  it('are drawn only while an animation plays', async () => {
    const styles = '<style>@keyframes come { from { opacity: 0 } } b { animation: come 0.2s }</style>'
    const one = particle(`${styles}<b>x</b>`, timeline(''))
    expect(await page.isDrawn(one, [0, 0.1])).toBe(true)
    expect(await page.isDrawn(one, [0, 0.1, 0.2, 0.3, 0.4])).toBe(false)
  })

  it.each(['children', 'getAttributeNames'])('are drawn for a form with a field called %s', async (name) => {
    const form = `<form><input name="${name}"><i onscroll=""></i></form>`
    const later = `document.body.insertAdjacentHTML('beforeend', '<form><input name="${name}"><video></video></form>')`
    expect(await page.problemsOf(particle(form, timeline('')))).toEqual([])
    expect(await page.isDrawn(particle(form, timeline('')))).toBe(true)
    const problems = await page.problemsOf(particle('<b>x</b>', `${timeline('')}; ${later}`))
    expect(problems).toMatchObject([{ message: expect.stringContaining('has <video>') }])
  })
})

describe.skipIf(lacksBrowser)('drawing events that never end', () => {
  const endless = (own: string) =>
    particle('<b id="box" style="display:block">x</b>', `${timeline('')}; ${own}`)
  const endlessMessage = expect.stringContaining('without end')

  it('make a render fail: resize observers', async () => {
    const page = endless(
      "new ResizeObserver(() => (box.style.height = box.offsetHeight + 1 + 'px')).observe(box)",
    )
    await expect(play([page])).rejects.toMatchObject({ code: 6016, message: endlessMessage })
  })

  it('are reported by a dry run: intersection observers', async () => {
    const page = endless(
      'new IntersectionObserver((_, seeing) => (seeing.unobserve(box), seeing.observe(box))).observe(box)',
    )
    expect(await dryRunProblems(page)).toEqual([{ message: endlessMessage }])
  })
})
