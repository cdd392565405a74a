/** Far above what FCM takes, far below what would hurt. */
const maxBodyLength = 1_000_000

export const tooLong = (body: string): boolean => body.length > maxBodyLength
