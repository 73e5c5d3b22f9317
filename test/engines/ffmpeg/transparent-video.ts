import { generateMedia } from './generate-media.ts'
import { oneThread } from './vp8.ts'

/** The pictures of the seconds of a transparent video. */
const scenes = ['color=c=red', 'testsrc=n=0', 'color=c=blue', 'color=c=white'] as const

/**
 * Creates a VP8 video of four seconds: red, a test picture, blue and white. Its right half is transparent. The encoder
 * inserts key frames of the colour where scenes change. Transparency has its only key frame at the start.
 */
export async function transparentVideo(path: string): Promise<string> {
  const chains = scenes.map((scene, index) => `${scene}:s=160x90:r=25:d=1,format=yuva420p[s${index}]`)
  const labels = scenes.map((_, index) => `[s${index}]`).join('')
  const alpha = `geq=lum='p(X,Y)':cb='p(X,Y)':cr='p(X,Y)':a='255*lt(X,W/2)'`
  const graph = `${chains.join(';')};${labels}concat=n=${scenes.length},${alpha}`
  const coding = ['-c:v', 'libvpx', ...oneThread, '-auto-alt-ref', '0', '-g', '9999', '-b:v', '2M']
  return await generateMedia(path, ['-f', 'lavfi', '-i', graph, ...coding, '-pix_fmt', 'yuva420p'])
}

/** Copies a transparent video from its second key frame of the colour on, so that no transparency decodes. */
export async function withoutTransparencyKey(path: string, source: string): Promise<string> {
  return await generateMedia(path, ['-ss', '1.5', '-i', source, '-c', 'copy'])
}
