import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'

/** Stands for the product in the slot of a daily batch, of which there is one a day whatever it recommends. */
export const dailyRecommendation = 'DAILY_RECOMMENDATION'

/** What a user is told about once in a while: as the gate was asked when the notification was admitted. */
export const subjectOf = ({ notificationType, productId }: NotificationEvent): string =>
  notificationType === 'RECOMMENDATION' ? dailyRecommendation : productId
