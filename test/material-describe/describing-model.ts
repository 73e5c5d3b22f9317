import { createCanvas } from '@napi-rs/canvas'
import type { PackSettings } from '../../src/engines/packs/store.ts'
import type { ChatBody } from '../engines/language-model/model-server.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'

export const type = 'material_describe'

/** An image of an answer to `describe_images`. */
export interface GivenImage {
  readonly id: number
  readonly desc: string
  readonly tags: readonly string[]
  readonly mark: number
  readonly added?: readonly string[]
}

/** A usable description of an image. */
export function described(id: number, more: Partial<GivenImage> = {}): GivenImage {
  const desc = `第${id}张图片：港口的清晨，渔船停在岸边，光线柔和。`
  return { id, desc, tags: ['港口', '清晨', '渔船'], mark: 80.126, added: [], ...more }
}

/** Ids and images of a question to a chat model. */
export function askedImages({ messages }: ChatBody): { ids: number[]; images: Buffer[] } {
  const content = messages.find(({ role }) => role === 'user')?.content
  const parts = typeof content === 'string' ? [] : (content ?? [])
  const { images } = JSON.parse(parts[0]?.text ?? '{"images":[]}') as { images: { id: number }[] }
  return {
    ids: images.map(({ id }) => id),
    images: parts.flatMap(({ image_url }) =>
      image_url ? [Buffer.from(image_url.url.replace(/^data:image\/jpeg;base64,/, ''), 'base64')] : [],
    ),
  }
}

/** A model that describes the images of each question. */
export function describingModel(describe: (id: number, body: ChatBody) => unknown = (id) => described(id)) {
  return (body: ChatBody) => ({ images: askedImages(body).ids.map((id) => describe(id, body)) })
}

/** A PNG with shapes, different for each number. */
export function drawnImage(number: number, width = 320, height = 240): Buffer<ArrayBuffer> {
  const canvas = createCanvas(width, height)
  const pen = canvas.getContext('2d')
  pen.fillStyle = `hsl(${(number * 47) % 360} 50% 60%)`
  pen.fillRect(0, 0, width, height)
  pen.fillStyle = `hsl(${(number * 91) % 360} 60% 30%)`
  for (let shape = 0; shape < 12; shape += 1) {
    const [x, y] = [(shape * 61 + number * 13) % width, (shape * 37 + number * 29) % height]
    pen.fillRect(x, y, 30 + (number % 7), 20)
  }
  return Buffer.from(canvas.toBuffer('image/png'))
}

/** Packs of the public test files; undefined without them. */
export function describingPacks(folder: string): Partial<PackSettings> | undefined {
  const mirror = testdata('models')
  return mirror === undefined ? undefined : { folder, automatic: true, mirror }
}

/** An item of a request with a drawn image as base64. */
export function base64(number: number): { readonly image: string } {
  return { image: drawnImage(number).toString('base64') }
}

/** Whether the public test files contain the packs. */
export const hasPacks = testdata('models') !== undefined
