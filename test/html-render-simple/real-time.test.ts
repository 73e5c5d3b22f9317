import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { htmlParticle, renderBeats } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Methods that compute grey(k), the grey of frame k, asynchronously in real time, and then paint their cell. */
const methods: Readonly<Record<string, string>> = {
  'an image that loads':
    'const image = new Image(); image.onload = () => draw(image); image.src = drawing(k)',
  'an image that is decoded':
    'const image = new Image(); image.src = drawing(k); await image.decode(); draw(image)',
  'an image of many pixels that is decoded':
    'const image = new Image(); image.src = filled(k, 1000).toDataURL(); await image.decode(); draw(image)',
  'a bitmap': 'draw(await createImageBitmap(filled(k)))',
  'an answer to data': "paint(await (await fetch('data:,' + k)).text())",
  'an answer to a blob': 'paint(await (await fetch(URL.createObjectURL(new Blob([k])))).text())',
  'a request':
    "const one = new XMLHttpRequest(); one.onload = () => paint(one.responseText); one.open('GET', 'data:,' + k); one.send()",
  'a reader':
    'const reader = new FileReader(); reader.onload = () => paint(reader.result); reader.readAsText(new Blob([k]))',
  'a blob': 'paint(await new Blob([k]).text())',
  'a canvas':
    'filled(k).toBlob((blob) => { const image = new Image(); image.onload = () => draw(image); image.src = URL.createObjectURL(blob) })',
  'canvases one after another':
    'let left = 15; const again = () => ((left -= 1) > 0 ? filled(k).toBlob(again) : paint(k)); again()',
  'a drawing that begins with a mark of byte order':
    "const image = new Image(); image.onload = () => draw(image); image.src = URL.createObjectURL(new Blob(['\\ufeff', decodeURIComponent(drawing(k).slice(19)), '<!--é-->'], { type: 'image/svg+xml' }))",
  'a canvas off screen':
    "const off = new OffscreenCanvas(9, 9); off.getContext('2d').drawImage(filled(k), 0, 0); draw(await createImageBitmap(await off.convertToBlob()))",
  'what is packed':
    "const packed = new Blob([k]).stream().pipeThrough(new CompressionStream('gzip')); paint(await new Response(packed.pipeThrough(new DecompressionStream('gzip'))).text())",
  'a stream':
    'const reader = new Blob([k]).stream().getReader(); paint(new TextDecoder().decode((await reader.read()).value))',
  'streams in a loop':
    "let text = ''; for (let n = 0; n < 15; n += 1) for await (const one of new Blob([k]).stream()) text = new TextDecoder().decode(one); paint(text)",
  'sound that halts for something else':
    'const offline = new OfflineAudioContext(1, 128, 8000); offline.suspend(0).then(async () => { await new Blob([k]).text(); offline.resume() }); await offline.startRendering(); paint(k)',
  'a module': 'await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); paint(k)',
  'a font': "await new FontFace('a', 'local(Arial), local(sans-serif)').load().catch(() => {}); paint(k)",
  'two, the first of which takes longer':
    'createImageBitmap(filled(0, 1000)).then(draw); createImageBitmap(filled(k)).then(draw)',
}
const names = Object.keys(methods)
/** More frames than one browser draws, so that two browsers are used. */
const frames = 26
const width = names.length * 20

const html = htmlParticle(
  { width, height: 20, duration: 600 },
  `<canvas id="canvas" width="${width}" height="20" style="position:absolute;left:0;top:0"></canvas>
<script>
  const context = document.getElementById('canvas').getContext('2d')
  const grey = (k) => 'rgb(' + [0, 1, 2].map(() => 20 + 7 * k) + ')'
  const filled = (k, side = 9) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side })
    canvas.getContext('2d').fillStyle = grey(k)
    canvas.getContext('2d').fillRect(0, 0, side, side)
    return canvas
  }
  const drawing = (k) => 'data:image/svg+xml,' + encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="' + grey(k) + '"/></svg>')
  const ways = [${Object.values(methods)
    .map(
      (method, index) => `async (k) => {
        const draw = (image) => context.drawImage(image, ${index * 20}, 0, 20, 20)
        const paint = (k) => { context.fillStyle = grey(k); context.fillRect(${index * 20}, 0, 20, 20) }
        ${method}
      }`,
    )
    .join(',\n')}]
</script>`,
  `for (const way of ways) way(Math.round(t * 30))`,
)

async function renderedFrames(): Promise<Buffer[]> {
  const { path } = await renderBeats(
    {
      composition: {
        video_size: { width, height: 20 },
        beats: [{ start: 0, duration: frames / 30, track_index: 0, html }],
      },
      render: { output_format: 'qtrle' },
    },
    folder.path,
  )
  const bytes = await ffmpeg('-i', path, '-f', 'rawvideo', '-pix_fmt', 'rgba', '-')
  const each = bytes.length / frames
  return Array.from({ length: frames }, (_, frame) => bytes.subarray(frame * each, (frame + 1) * each))
}

describe('work in real time is complete in the frame that starts it', () => {
  let runs: Buffer[][]
  beforeAll(async () => {
    runs = [await renderedFrames(), await renderedFrames()]
  })

  it.each(names)('%s', (name) => {
    const column = names.indexOf(name) * 20 + 10
    const shown = runs.map((run) => run.map((frame) => frame[(10 * width + column) * 4]))
    const expected = Array.from({ length: frames }, (_, frame) => 20 + 7 * frame)
    expect(shown).toEqual([expected, expected])
  })

  it('produces the same result in every run', () => {
    expect(runs[0]?.map((frame) => frame.toString('hex'))).toEqual(
      runs[1]?.map((frame) => frame.toString('hex')),
    )
  })
})
