import type { VideoFacts } from '../../contract/media-facts.ts'

/** Options of `setparams` that say how every frame of a result is coded. */
export const bt709 = 'range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709'

/** Output options that tag a result so. */
export const bt709Tags: readonly string[] = [
  ...['-colorspace', 'bt709', '-color_primaries', 'bt709'],
  ...['-color_trc', 'bt709', '-color_range', 'tv'],
]

/** Filters to 100 cd/m² as SDR screens show it. HDR10 and HLG carry BT.2020 colours, tagged or not. */
export const toneMap: readonly string[] = [
  'setparams=colorspace=bt2020nc:color_primaries=bt2020',
  'zscale=transfer=linear:npl=100',
  'format=gbrpf32le',
  'zscale=primaries=bt709',
  'tonemap=tonemap=hable:desat=0',
  'zscale=transfer=bt709:matrix=bt709:range=limited',
]

/** Filters that HDR sources need and not every ffmpeg has. */
export const toneMapFilters = ['zscale', 'tonemap']

/**
 * The scale filter of a picture's size, to BT.709 of limited range; HDR is to be tone-mapped after it. Pictures
 * that do not tell their matrix are read as players do: BT.709 from HD on, BT.601 below.
 */
export function scaleTo(video: VideoFacts, { width, height }: { width: number; height: number }): string {
  const scale = `scale=w=${width}:h=${height}:flags=bicubic`
  return video.hdr ? scale : `${scale}:in_color_matrix=${matrixOf(video)}:out_color_matrix=bt709:out_range=tv`
}

function matrixOf({ color_space, coded_width, coded_height }: VideoFacts): string {
  if (color_space !== undefined) return 'auto'
  return coded_width >= 1280 || coded_height > 576 ? 'bt709' : 'bt601'
}
