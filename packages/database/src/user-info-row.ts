/** A row of `user_info`. */
export interface UserInfoRow {
  user_id: string
  /** IANA name. */
  timezone: string
  /** BCP 47, such as `ko` or `en-US`. */
  locale: string
  email: string | null
  phone: string | null
  created_at: Date
  updated_at: Date
}
